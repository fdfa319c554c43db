/* digest_lines - the digest of every line: its code, a tab, its text.  With `postgresql`: as PostgreSQL reads it, not MySQL. */
#include "collector/mysql/digest_text.h"
#include "collector/postgresql/digest_text.h"
#include "collector/core/slice.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	__u64 (*text)(const char *sql, size_t len, int whole, char *out) = digest_text;
	static char line[65536];
	char label[LABEL_MAX + 1];

	if (argc > 1 && !strcmp(argv[1], "postgresql"))
		text = postgresql_digest_text;
	while (fgets(line, sizeof(line), stdin)) {
		__u64 code = text(line, strcspn(line, "\n"), 1, label);

		printf("%016llx\t%s\n", (unsigned long long)code, label);
	}
	return 0;
}
