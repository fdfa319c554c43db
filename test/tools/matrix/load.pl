#!/usr/bin/perl
# load.pl mysql | pg - sends a load by Perl's DBI (DBD::mysql, DBD::Pg); the environment as for load.py.
use strict;
use warnings;
use DBI;

my ($driver, $mode, $port, $hows) = ($ARGV[0], @ENV{qw(MATRIX_MODE MATRIX_PORT MATRIX_HOWS)});
my $source = $driver eq "mysql"
	? "dbi:mysql:database=shop;host=127.0.0.1;port=$port;mysql_server_prepare=1"
	. ($mode eq "tls" ? ";mysql_ssl=1;mysql_ssl_optional=1;mysql_ssl_ca_file=$ENV{MATRIX_CERT}" : $mode eq "zlib" ? ";mysql_compression=1" : "")
	: "dbi:Pg:dbname=shop;host=127.0.0.1;port=$port;sslmode=" . ($mode eq "tls" ? "require" : "disable");
my $db = DBI->connect($source, $ENV{MATRIX_USER}, "", { RaiseError => 1, PrintError => 0, AutoCommit => 1 });
my (@lines, %prepared);

open(my $file, "<", $ENV{MATRIX_LOAD}) or die "$ENV{MATRIX_LOAD}: $!";
while (<$file>) {
	chomp;
	my @line = split /\t/;
	push @lines, \@line if !/^#/ and grep { $_ eq $line[1] } split /,/, $hows;
}
for my $i ($ENV{MATRIX_FIRST} .. $ENV{MATRIX_FIRST} + $ENV{MATRIX_ROUNDS} - 1) {
	for (@lines) {
		my ($every, $how, $text) = @$_;
		next if $i % $every;
		if ($how eq "prepared") {
			$prepared{$text} //= $db->prepare($text, $driver eq "pg" ? { pg_prepare_now => 1 } : {});
			$prepared{$text}->execute($i);
			$prepared{$text}->fetchall_arrayref if $text =~ /^SELECT/;
			next;
		}
		$text =~ s/%d/$i/g;
		eval {
			my $plain = $driver eq "mysql" ? { mysql_server_prepare => 0 } : { pg_server_prepare => 0 };
			if ($text =~ /^SELECT/) { $db->selectall_arrayref($text, $plain) } else { $db->do($text, $plain) }
		};
		die $@ if $@ and $how ne "fails";
	}
}
undef %prepared;
$db->disconnect;
