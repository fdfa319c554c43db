#include "render/encode/deflate.h"
#include <errno.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

#define ROOM 4096

/* Makes the buffer larger by a quarter of `len`. */
static int grow_buffer(__u8 **data, size_t *room, size_t len)
{
	__u8 *more = realloc(*data, *room + len / 4 + ROOM);

	if (!more)
		return -ENOMEM;
	*data = more;
	*room += len / 4 + ROOM;
	return 0;
}

static int pack(const __u8 *data, size_t len, enum deflate_effort effort, __u16 form, __u8 **ret_data, size_t *ret_len)
{
	__u8 *scratch = effort == DEFLATE_SMALL ? malloc(ISAL_DEF_LVL3_DEFAULT) : NULL, *out = NULL;
	struct isal_zstream z;
	size_t room = 0;
	int err = effort == DEFLATE_SMALL && !scratch ? -ENOMEM : 0;

	isal_deflate_init(&z);
	z.gzip_flag = form;
	z.end_of_stream = 1;
	z.next_in = (__u8 *)data;
	z.avail_in = (__u32)len;
	if (scratch) {
		z.level = 3;
		z.level_buf = scratch;
		z.level_buf_size = ISAL_DEF_LVL3_DEFAULT;
	}
	if (len > (__u32)-1)
		err = -ENOMEM;
	while (!err && z.internal_state.state != ZSTATE_END) {
		err = grow_buffer(&out, &room, len);
		if (err)
			break;
		z.next_out = out + z.total_out;
		z.avail_out = (__u32)(room - z.total_out);
		err = isal_deflate(&z) == COMP_OK ? 0 : -EIO;
	}
	free(scratch);
	if (err) {
		free(out);
		return err;
	}
	*ret_data = out;
	*ret_len = z.total_out;
	return 0;
}

int deflate_pack(const __u8 *data, size_t len, enum deflate_effort effort, __u8 **ret_data, size_t *ret_len)
{
	return pack(data, len, effort, IGZIP_ZLIB, ret_data, ret_len);
}

int deflate_gzip(const __u8 *data, size_t len, __u8 **ret_data, size_t *ret_len)
{
	return pack(data, len, DEFLATE_SMALL, IGZIP_GZIP, ret_data, ret_len);
}

int deflate_unpack(const __u8 *data, size_t len, size_t max, __u8 **ret_data, size_t *ret_len)
{
	struct inflate_state *z = malloc(sizeof(*z));
	__u8 *out = NULL;
	size_t room = 0;
	int err = z && len <= (__u32)-1 ? 0 : -ENOMEM;

	if (z) {
		isal_inflate_init(z);
		z->crc_flag = ISAL_ZLIB;
		z->next_in = (__u8 *)data;
		z->avail_in = (__u32)len;
	}
	while (!err && z->block_state != ISAL_BLOCK_FINISH) {
		size_t done = z->total_out;

		err = done > max ? -E2BIG : grow_buffer(&out, &room, 16 * len);
		if (err)
			break;
		z->next_out = out + done;
		z->avail_out = (__u32)(room - done);
		if (isal_inflate(z) != ISAL_DECOMP_OK || (z->total_out == done && z->block_state != ISAL_BLOCK_FINISH))
			err = -EBADMSG;		/* also if the buffer has space, but the input ends */
	}
	if (!err && (z->avail_in || z->read_in_length >= 8))	/* whole bytes follow the stream; bits are padding */
		err = -EBADMSG;
	if (!err && z->total_out > max)
		err = -E2BIG;
	if (!err)
		*ret_len = z->total_out;
	free(z);
	if (err) {
		free(out);
		return err;
	}
	*ret_data = out;
	return 0;
}
