/* leaks.h - lists reports that the leak sanitizer ignores; any number of a program's files may include it.
 *
 * Fontconfig refers to parts of its patterns by offset, not by pointer.  So the sanitizer takes parts of a pattern in
 * cairo's cache for leaks.  A program that knows of another library defines LEAKS_KNOWN before it includes this file.
 */
#ifndef HEATSCOPE_LEAKS_H
#define HEATSCOPE_LEAKS_H

#ifndef LEAKS_KNOWN
#define LEAKS_KNOWN "leak:libfontconfig\n"
#endif

const char *__lsan_default_suppressions(void);

/* Called by the sanitizer's runtime.  Weak: the files of a program share it. */
__attribute__((weak)) const char *__lsan_default_suppressions(void)
{
	return LEAKS_KNOWN;
}

#endif
