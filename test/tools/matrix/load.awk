# load.awk - writes the texts of a load for a client that reads its statements from a file, or from its input.
#
#     awk -v first=N -v rounds=N -v hows=text,fails -v end=';' -f load.awk FILE
BEGIN {
	FS = "\t"
	n_hows = split(hows, list, ",")
	for (i = 1; i <= n_hows; i++)
		wanted[list[i]] = 1
}
/^#/ || !($2 in wanted) { next }
{ every[++n] = $1; text[n] = $3 }
END {
	for (round = first; round < first + rounds; round++)
		for (i = 1; i <= n; i++)
			if (round % every[i] == 0) {
				line = text[i]
				gsub(/%d/, round, line)
				print line end
			}
}
