/* digest_lines - the digest of every line: its code, a tab, its text.  With `postgresql`: as PostgreSQL reads it, not MySQL. */
#include "collector/mysql/digest_text.h"
#include "collector/postgresql/digest_text.h"
#include "collector/core/slice.h"
#include "test/kit/digest_text_kit.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	digest_reader *read = mysql_digest_read;
	static char line[65536];
	char label[LABEL_MAX + 1];

	if (argc > 1 && !strcmp(argv[1], "postgresql"))
		read = postgresql_digest_read;
	while (fgets(line, sizeof(line), stdin)) {
		__u64 code = digest_text_by(read, line, strcspn(line, "\n"), 1, label);

		printf("%016llx\t%s\n", (unsigned long long)code, label);
	}
	return 0;
}
