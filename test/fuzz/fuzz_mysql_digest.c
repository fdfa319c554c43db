/* fuzz_mysql_digest - digests any bytes as a statement, and as one of which only the beginning is known.
 *
 * Holds: no undefined behaviour; a label is UTF-8 and stands for its code, also one that is cut; white space and comments
 * before a statement change nothing; the reported table stands in the statement, outside of its texts; a text of the
 * same fingerprint, with other numbers, is the same statement on the same table.
 */
#include "collector/mysql/digest.h"
#include "collector/mysql/digest_text.h"
#include "collector/core/slice.h"

/* Names may begin like numbers. */
#define DIGEST_READS_NAME(state) ((state) < DIGEST_POWER_SIGN || (state) == DIGEST_NAME)
#include "test/kit/digest_fuzz.h"
#include "test/kit/fingerprint_kit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct digest_dialect of = { mysql_digest_read, " \n/* ' */ # `\n-- \"\n", 0 };

	check_statement(&of, data, len);
	if (len)
		check_fingerprint(data + 1, len - 1, data[0]);
	return 0;
}
