#include "collector/d/provider/note.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TABLE_MAX (8u << 20)		/* bytes of sections, their names and the notes */
#define NOTE_TYPE 3

struct sections {
	Elf64_Shdr *section;
	size_t n;
	char *names;
	size_t names_len;
};

static int read_table(int fd, __u64 offset, __u64 len, void *ret_table)
{
	char *table;

	if (len > TABLE_MAX || offset > INT64_MAX)
		return -EFBIG;
	table = malloc(len + 1);
	if (!table)
		return -ENOMEM;
	if (pread(fd, table, len, (off_t)offset) != (ssize_t)len) {
		free(table);
		return -EBADMSG;
	}
	table[len] = '\0';
	memcpy(ret_table, &table, sizeof(table));
	return 0;
}

static int read_sections(int fd, struct sections *s)
{
	Elf64_Ehdr e;
	int err;

	if (pread(fd, &e, sizeof(e), 0) != sizeof(e) || memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 ||
	    e.e_ident[EI_DATA] != ELFDATA2LSB || e.e_shentsize != sizeof(Elf64_Shdr) || e.e_shstrndx >= e.e_shnum)
		return -EBADMSG;
	err = read_table(fd, e.e_shoff, (__u64)e.e_shnum * sizeof(Elf64_Shdr), &s->section);
	if (err)
		return err;
	s->n = e.e_shnum;
	s->names_len = s->section[e.e_shstrndx].sh_size;
	return read_table(fd, s->section[e.e_shstrndx].sh_offset, s->names_len, &s->names);
}

static const Elf64_Shdr *find_section(const struct sections *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->section[i].sh_name < s->names_len && !strcmp(s->names + s->section[i].sh_name, name))
			return &s->section[i];
	return NULL;
}

/* A text of the description; NULL: it does not end within. */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at, *nul = text < end ? memchr(text, '\0', end - text) : NULL;

	*at = nul ? nul + 1 : end;
	return nul ? text : NULL;
}

/* base: where .stapsdt.base is now; addresses move with it when the file is linked in advance. */
static int read_note(const char *at, size_t len, __u64 base, struct d_note *n)
{
	__u64 word[3];
	const char *end = at + len;

	if (len < sizeof(word))
		return -EBADMSG;
	memcpy(word, at, sizeof(word));
	at += sizeof(word);
	n->provider = take_text(&at, end);
	n->name = take_text(&at, end);
	n->arguments = take_text(&at, end);
	if (!n->arguments)
		return -EBADMSG;
	n->address = word[0] + (base ? base - word[1] : 0);
	n->semaphore = word[2] ? word[2] + (base ? base - word[1] : 0) : 0;
	return 0;
}

static size_t padded(size_t len) { return (len + 3) & ~(size_t)3; }

static int each_of(const char *table, size_t len, __u64 base, int (*each)(void *context, const struct d_note *n), void *context)
{
	int err = 0;

	for (size_t at = 0; !err && len - at >= sizeof(Elf64_Nhdr);) {
		Elf64_Nhdr head;
		struct d_note note;
		size_t name, description;

		memcpy(&head, table + at, sizeof(head));
		name = at + sizeof(head);
		if (head.n_namesz > len - name || padded(head.n_namesz) > len - name)
			return -EBADMSG;
		description = name + padded(head.n_namesz);
		if (head.n_descsz > len - description)
			return -EBADMSG;
		if (head.n_type == NOTE_TYPE && head.n_namesz == 8 && !memcmp(table + name, "stapsdt", 8))
			err = read_note(table + description, head.n_descsz, base, &note) ?: each(context, &note);
		at = description + (padded(head.n_descsz) > len - description ? head.n_descsz : padded(head.n_descsz));
	}
	return err;
}

int d_notes_each(int fd, int (*each)(void *context, const struct d_note *n), void *context)
{
	struct sections s = { 0 };
	const Elf64_Shdr *notes, *base;
	char *table = NULL;
	int err = read_sections(fd, &s);

	if (!err) {
		notes = find_section(&s, ".note.stapsdt");
		base = find_section(&s, ".stapsdt.base");
		err = notes ? read_table(fd, notes->sh_offset, notes->sh_size, &table) : -ENOENT;
		if (!err)
			err = each_of(table, notes->sh_size, base ? base->sh_addr : 0, each, context);
	}
	free(table);
	free(s.section);
	free(s.names);
	return err;
}
