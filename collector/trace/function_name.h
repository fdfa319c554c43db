/* function_name.h - turns a symbol into the name of the function, without its arguments.
 *
 *      "_ZN3THD5awakeE13killed_state" -> "THD::awake"      "read_page.isra.0" -> "read_page"
 *
 * Of C++ (Itanium C++ ABI, 5.1) it reads names, also within classes and namespaces, constructors and destructors.  A
 * symbol with a template, an operator or a substitution other than std:: stays as it is.  If the compiler made a clone
 * of a function, the clone gets the function's name.
 * Trust   none: a blank, `;` or a character that is not printable ASCII becomes `?`.
 * Pure    any thread; fuzzed by fuzz_program_file.
 */
#ifndef HEATSCOPE_FUNCTION_NAME_H
#define HEATSCOPE_FUNCTION_NAME_H

#include <stddef.h>

/* Writes the name into out[room], cut if it does not fit. */
void function_name(const char *symbol, char *out, size_t room);

/* Puts the `?` into a text that is not the name of a function. */
void function_name_clean(char *text);

#endif
