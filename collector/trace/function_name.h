/* function_name.h - a symbol as people call the function, without its arguments.
 *
 *      "_ZN3THD5awakeE13killed_state" -> "THD::awake"      "read_page.isra.0" -> "read_page"
 *
 * Of C++ (Itanium C++ ABI, 5.1) it reads names, also within classes and namespaces, constructors and destructors; templates,
 * operators and substitutions other than std:: it does not, and those stay as they are.  Clones that the compiler made of a
 * function have its name.
 * Trust   none: whatever is not printable ASCII, a blank or `;` becomes `?`.
 * Pure    any thread; fuzzed by fuzz_program_file.
 */
#ifndef HEATSCOPE_FUNCTION_NAME_H
#define HEATSCOPE_FUNCTION_NAME_H

#include <stddef.h>

/* Into out[room], cut where it does not fit. */
void function_name(const char *symbol, char *out, size_t room);

/* Of a name that is none of a function's: the `?`. */
void function_name_clean(char *text);

#endif
