/* thd.S - the source of test/fuzz/corpus/mysql_thd/server.so: the functions that reveal the layout of a server's THD.
 *
 *	gcc -nostdlib -shared -s -Wl,-z,noseparate-code,--build-id=none,--hash-style=sysv -o test/fuzz/corpus/mysql_thd/server.so test/tools/thd.S
 */
	.text
	.macro function name
	.globl \name
	.type \name, @function
\name:
	.endm

	function _Z18log_slow_statementP3THD
	endbr64
	push	%rbp
	pop	%rbp
	ret
	function thd_user_name
	mov	0x25f8(%rdi), %rax
	test	%rax, %rax
	je	1f
	mov	0x8(%rax), %rax
1:	ret
	function thd_current_db
	lea	0xa0(%rdi), %rax
	ret
	function thd_query_string
	lea	0x68(%rdi), %rax
	ret
	function thd_charset
	mov	0xb98(%rdi), %rax
	ret
	function thd_is_strict_mode
	testb	$0x60, 0x89a(%rdi)
	setne	%al
	ret
	.section .note.GNU-stack, "", @progbits
