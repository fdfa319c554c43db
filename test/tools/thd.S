/* thd.S - the source of test/fuzz/corpus/mysql_thd/mariadb.so and mysql.so: the functions that reveal the layout of a
 * server's THD, and where a thread has its own.
 *
 *	for server in mariadb mysql; do
 *		gcc -nostdlib -shared -s -D$server -Wl,-z,noseparate-code,--build-id=none,--hash-style=sysv -o test/fuzz/corpus/mysql_thd/$server.so test/tools/thd.S
 *	done
 */
	.text
	.macro function name
	.globl \name
	.type \name, @function
\name:
	.endm

#ifdef mariadb
	function _current_thd
	push	%rbp
	mov	%rsp, %rbp
	.byte	0x66, 0x66, 0x66
	mov	%fs:0, %rax
	pop	%rbp
	.byte	0x48, 0x8b, 0x80, 0x98, 0xff, 0xff, 0xff	# mov -0x68(%rax),%rax as the linker leaves it
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
	function thd_current_command
	mov	0x27d8(%rdi), %eax
	ret
	function thd_get_error_number
	mov	0x62e0(%rdi), %rax
	mov	0x8(%rax), %eax
	ret
	function thd_is_strict_mode
	testb	$0x60, 0x89a(%rdi)
	setne	%al
	ret
#else
	function _Z16thd_query_unsafeP3THD
	endbr64
	mov	0x510(%rdi), %rax
	mov	0x518(%rdi), %rdx
	ret
	function _Z11thd_charsetP3THD
	endbr64
	mov	0x970(%rdi), %rax
	ret
	function _Z18thd_is_strict_modePK3THD
	endbr64
	testb	$0x60, 0x75a(%rdi)
	setne	%al
	ret
	function _ZNK16Security_context4userEv
	endbr64
	mov	(%rdi), %rax
	mov	0x8(%rdi), %rdx
	ret
	function _Z24thd_get_security_contextP3THDPP16Security_context
	endbr64
	test	%rsi, %rsi
	je	2f
	mov	0x1800(%rdi), %rax
	mov	%rax, (%rsi)
	xor	%eax, %eax
	ret
2:	mov	$1, %eax
	ret
	function _Z12thd_is_errorPK3THD
	endbr64
	mov	0x33a0(%rdi), %rax
	cmpl	$3, 0x8c(%rax)
	sete	%al
	ret
	function _ZN3THD11set_commandE19enum_server_command
	endbr64
	mov	%esi, 0x19b4(%rdi)
	mov	%esi, %edi
	.byte	0xe9, 0, 0, 0, 0			# jmp
	function _Z31srv_session_info_get_current_dbP11Srv_session
	endbr64
	test	%rdi, %rdi
	je	3f
	push	%rbp
	mov	%rsp, %rbp
	mov	0x3c8(%rdi), %rdx
	mov	0x558(%rdx), %rax
	mov	0x560(%rdx), %rdx
	leave
	ret
3:	xor	%eax, %eax
	ret

	.section .tbss, "awT", @nobits
	.zero	0x48
	.globl	current_thd
	.type	current_thd, @object
current_thd:
	.zero	8
	.zero	0x1d0
#endif
	.section .note.GNU-stack, "", @progbits
