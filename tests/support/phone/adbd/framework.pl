#!/usr/bin/perl
# Any of Android's commands: hands its words to the test's framework and gives back what that says.
# Request: words joined by NUL, ended by two. Answer: a line of code and sizes, then the bytes.
use Socket;
my $name = $0;
$name =~ s{.*/}{};
socket(my $framework, AF_UNIX, SOCK_STREAM, 0);
if (!connect($framework, pack_sockaddr_un("/dev/socket/framework"))) {
    print STDERR "$name: the system is not running\n";
    exit 255;
}
syswrite($framework, join("\0", $name, @ARGV) . "\0\0");
my ($answer, $part) = ("", "");
while (sysread($framework, $part, 65536)) { $answer .= $part }
my $end = index($answer, "\n");
my ($code, $out, $err, $file, $path) = split(/ /, substr($answer, 0, $end), 5);
$answer = substr($answer, $end + 1);
sleep if $code < 0;    # waits for a screen that never rests
if ($file) {
    open(my $handle, ">", $path) or die "$path: $!\n";
    binmode $handle;
    print $handle substr($answer, $out + $err, $file);
    close $handle;
}
binmode STDOUT;
binmode STDERR;
print STDERR substr($answer, $out, $err);
print STDOUT substr($answer, 0, $out);
exit $code;
