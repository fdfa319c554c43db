BEGIN /pid > 1 && (uid == 0 || gid != 0) && !(pid < 3u)/
{
	x = pid < uid ? 1 : uid;
	y = !x + (x ^^ uid);
	0 ? trace(1) : trace(2);
}
