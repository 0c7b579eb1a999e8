# Starts adbd with the socket over which it asks its framework whether a key is allowed, as init does.
use Socket;
use Fcntl;
my $path = "/dev/socket/adbd";
socket(my $listener, AF_UNIX, 5, 0) or die "socket: $!";    # 5: SOCK_SEQPACKET
bind($listener, pack_sockaddr_un($path)) or die "bind: $!";
chmod 0666, $path;
fcntl($listener, F_SETFD, 0);
$ENV{"ANDROID_SOCKET_adbd"} = fileno($listener);
exec @ARGV or die "exec: $!";
