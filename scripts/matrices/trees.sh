# shellcheck shell=bash disable=SC2154
# trees.sh - the folders in which servers and clients of other releases run: chroots, made by debootstrap and kept.  The
# tree `host` is this machine.

# name, suite of Debian
trees='
debian13 trixie
sid      sid
'
mirror=http://deb.debian.org/debian

tree_root() { case $1 in host) ;; *) echo "$trees_dir/$1" ;; esac; }
tree_exists() { [ "$1" = host ] || [ -e "$trees_dir/$1/var/lib/dpkg/status" ]; }

# A tree that debootstrap has not finished has another name.
make_tree() { # NAME
	tree_exists "$1" && return
	suite=$(echo "$trees" | awk -v name="$1" '$1 == name { print $2 }')
	echo "matrix: making $trees_dir/$1 (debootstrap of $suite)" >&2
	mkdir -p "$trees_dir" && rm -rf --one-file-system "${trees_dir:?}/$1.part" &&
		debootstrap --variant=minbase "$suite" "$trees_dir/$1.part" "$mirror" >"$work/debootstrap.$1.log" 2>&1 && mv "$trees_dir/$1.part" "$trees_dir/$1"
}

# The mounts are of this process's own namespace (scripts/matrix runs itself in one), so they end with it, however it ends.
open_tree() { # NAME
	case " host $opened " in *" $1 "*) return ;; esac
	opened="$opened $1"
	mount -t proc proc "$trees_dir/$1/proc" && mount -t tmpfs -o mode=755 dev "$trees_dir/$1/dev" && mkdir -m 1777 "$trees_dir/$1/dev/shm" &&
		mknod -m 666 "$trees_dir/$1/dev/null" c 1 3 && mknod -m 666 "$trees_dir/$1/dev/zero" c 1 5 &&
		mknod -m 666 "$trees_dir/$1/dev/random" c 1 8 && mknod -m 666 "$trees_dir/$1/dev/urandom" c 1 9 && ln -s /proc/self/fd "$trees_dir/$1/dev/fd"
}

# in_tree PROGRAM...: in $tree, as $as_user (root).  With exec=exec it takes the place of the shell that calls it.
in_tree() { ${exec-} chroot ${as_user:+--userspec="$as_user:$as_user"} "$(tree_root "$tree")/" "$@"; }

tree_has() { # TREE PACKAGE...
	tree=$1
	shift
	for package; do
		in_tree dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q ' installed$' || return 1
	done
}

# No server of a package is started, and none of the system's own clusters is made.
tree_install() { # TREE PACKAGE...
	tree_has "$@" && return
	tree=$1
	shift
	echo "matrix: installing into $trees_dir/$tree: $*" >&2
	printf '#!/bin/sh\nexit 101\n' >"$(tree_root "$tree")/usr/sbin/policy-rc.d"
	chmod 755 "$(tree_root "$tree")/usr/sbin/policy-rc.d"
	cp /etc/resolv.conf "$(tree_root "$tree")/etc/resolv.conf"
	apt="apt-get -o DPkg::Lock::Timeout=600 -o Dpkg::Options::=--force-confdef"
	# shellcheck disable=SC2086
	{
		in_tree $apt update
		case " $* " in
		*' postgresql-'*)
			in_tree env DEBIAN_FRONTEND=noninteractive $apt install -y --no-install-recommends postgresql-common &&
				echo "create_main_cluster = false" >>"$(tree_root "$tree")/etc/postgresql-common/createcluster.conf"
			;;
		esac
		in_tree env DEBIAN_FRONTEND=noninteractive $apt install -y --no-install-recommends "$@"
	} >"$work/apt.$tree.log" 2>&1 || { tail -n 5 "$work/apt.$tree.log" >&2; return 1; }
}
