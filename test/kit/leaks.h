/* leaks.h - lists reports that the leak sanitizer ignores; any number of a program's files may include it.
 *
 * Fontconfig refers to parts of its patterns by offset, not by pointer.  So the sanitizer takes parts of a pattern in
 * cairo's cache for leaks.
 */
#ifndef HEATSCOPE_LEAKS_H
#define HEATSCOPE_LEAKS_H

const char *__lsan_default_suppressions(void);

/* Called by the sanitizer's runtime.  Weak: the files of a program share it. */
__attribute__((weak)) const char *__lsan_default_suppressions(void)
{
	return "leak:libfontconfig\n";
}

#endif
