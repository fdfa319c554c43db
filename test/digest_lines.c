/* digest_lines - the digest of every line: its code, a tab, its text. */
#include "../collector/mysql_digest_text.h"
#include "../collector/slice.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
	static char line[65536];
	char label[LABEL_MAX + 1];

	while (fgets(line, sizeof(line), stdin)) {
		__u64 code = digest_text(line, strcspn(line, "\n"), 1, label);

		printf("%016llx\t%s\n", (unsigned long long)code, label);
	}
	return 0;
}
