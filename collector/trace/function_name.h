/* function_name.h - makes the name of a function from its symbol, without its arguments.
 *
 *      "_ZN3THD5awakeE13killed_state" -> "THD::awake"      "read_page.isra.0" -> "read_page"
 *
 * C++     (Itanium C++ ABI, 5.1) names, nested in classes and namespaces, constructors and destructors become text.  A
 *         symbol with a template, an operator or a substitution other than std:: stays as it is.
 * Clones  the suffix of a clone that the compiler made, from the first dot on, is removed.
 * Trust   none: a blank, `;` or a character that is not printable ASCII becomes `?`.
 * Pure    any thread; fuzzed by fuzz_program_file.
 */
#ifndef HEATSCOPE_FUNCTION_NAME_H
#define HEATSCOPE_FUNCTION_NAME_H

#include <stddef.h>

/* Writes the name into out[room], room > 0, and cuts it if it does not fit. */
void function_name(const char *symbol, char *out, size_t room);

/* Puts the `?` of Trust into any other text. */
void function_name_clean(char *text);

#endif
