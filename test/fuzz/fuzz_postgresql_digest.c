/* fuzz_postgresql_digest - digests any bytes as a statement, and as one of which only the beginning is known.
 *
 * Holds: no undefined behaviour; a label is UTF-8 and stands for its code, also one that is cut; white space and comments
 * before a statement change nothing; the reported table stands in the statement, outside of its literals.
 */
#include "collector/postgresql/digest.h"
#include "collector/postgresql/digest_text.h"
#include "collector/core/slice.h"

#define DIGEST_READS_NAME(state) ((state) == DIGEST_WORD || (state) == DIGEST_NAME)
#include "test/kit/digest_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct digest_dialect of = { postgresql_digest_read, " \n/* /* ' */ */ -- \"\n", 1 };

	check_statement(&of, data, len);
	return 0;
}
