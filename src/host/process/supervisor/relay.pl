# Appends an agent's output to its files, so that the agent itself has no file that it could open, shorten or write over.
# It is outside of the agent's PID namespace, where the agent cannot reach it.
# Arguments: kind folder, then the command that becomes the supervisor (claim.sh), of which this is a child process.
# kind: `pipe`, or `socket`, which no process can open by its name in /proc. Some programs cannot use /dev/stdout then.
# Or `stream=UID,GROUP,...`: a socket, in a container, as root. The supervisor becomes this user. All output is also written to
# standard output and error, by which it leaves the container at once; no process there can open them, nor trace this one.
# The supervisor gets the descriptors 5 and 6, what the agent writes to, and 7: it writes a line there when nobody writes any more,
# and gets one when all is in the files. LLM_TOOL_TEST_RELAY is the id of this process.
use strict;
use Fcntl qw(O_WRONLY O_APPEND O_CREAT F_SETFL O_NONBLOCK);
use POSIX ();
use Socket;

# In seconds: how long a full disk can delay the end.
my $PATIENCE = 5;

my ($kind, $folder, @command) = @ARGV;
my ($uid, @groups) = $kind =~ /^stream=(.+)/ ? split /,/, $1 : ();
if (defined $uid) {
  # The kernel hides a process that has changed its user from all that lack CAP_SYS_PTRACE, also from root.
  $> = $_ for 65534, 0;
  $) = "$groups[0] @groups";
}
$^F = 255; # the command inherits what it is given
my (@from, @to);
for my $name ('out', 'err', 'control') {
  my ($ours, $theirs);
  ($kind eq 'pipe' && $name ne 'control' ? pipe($ours, $theirs) : socketpair($ours, $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC))
    or exit 71;
  push @from, $ours;
  push @to, $theirs;
}
my $relay = $$;
# To start mkfifo would take longer. Where it cannot be done here, supervise.sh says why.
POSIX::mkfifo("$folder/$_", 0600) for defined $uid ? () : ('ctl', 'why');
# Before there is a process that could get them: a request to stop may come before it runs.
my %before = map { $_ => $SIG{$_} || 'DEFAULT' } 'TERM', 'HUP', 'INT', 'PIPE';
$SIG{$_} = 'IGNORE' for keys %before;
my $pid = fork;
exit 71 unless defined $pid;
# A supervisor finds the first process to be its own; in a container, what has no parent there is spared.
if (defined $uid ? !$pid : $pid) {
  close $_ for @from;
  # By way of others, as they may have these numbers already.
  POSIX::dup2(fileno $to[$_], 20 + $_) for 0 .. 2;
  close $_ for @to;
  for (0 .. 2) {
    POSIX::dup2(20 + $_, 5 + $_);
    POSIX::close(20 + $_);
  }
  $ENV{LLM_TOOL_TEST_RELAY} = $pid || $relay;
  if (defined $uid) {
    delete $ENV{PERL_BADLANG};
    open STDOUT, '>', '/dev/null';
    open STDERR, '>', '/dev/null';
    POSIX::setgid($groups[0]);
    POSIX::setuid($uid);
  }
  @SIG{keys %before} = values %before;
  exec { $command[0] } @command;
  POSIX::_exit(127);
}

close $_ for @to;
my $control = pop @from;
my (%file, $heard, $over, $cut, $waited);
# As the user, who could have put a link there.
$> = $uid if defined $uid;
for my $ours (@from) {
  my $stream = keys %file ? \*STDERR : \*STDOUT;
  sysopen my $file, "$folder/" . (keys %file ? 'err' : 'out'), O_WRONLY | O_APPEND | O_CREAT, 0600 or exit 73;
  fcntl $ours, F_SETFL, O_NONBLOCK;
  $file{fileno $ours} = [$ours, $file, defined $uid ? $stream : ()];
}
$> = 0 if defined $uid;

# Until it is written, or nobody reads any more: then the file has what is missing.
sub pass_on {
  my ($stream, $bytes) = @_;
  while (length $bytes) {
    my $written = syswrite $stream, $bytes;
    if (defined $written) { substr($bytes, 0, $written) = '' }
    elsif (!$!{EINTR}) { return $cut = 1 }
  }
}

# Without a line, the supervisor was killed, or did not begin: the agent may go on.
sub hear {
  $over = sysread $control, my $line, 1;
  $heard = 1;
}

# Waits until one of these can be read, or for a while. Returns those that can.
sub ready {
  my ($seconds, @handles) = @_;
  my $bits = '';
  vec($bits, fileno $_, 1) = 1 for @handles;
  return () if select($bits, undef, undef, $seconds) < 1;
  return grep { vec($bits, fileno $_, 1) } @handles;
}

# Until it is written, or the folder is gone: an agent waits for a full disk, for what it has done is paid for.
sub append {
  my ($file, $bytes) = @_;
  while (length $bytes) {
    my $written = syswrite $file, $bytes;
    if (defined $written) {
      substr($bytes, 0, $written) = '';
      next;
    }
    next if $!{EINTR};
    return if !-d $folder || ($over && ($waited += 0.25) > $PATIENCE);
    if ($heard) { select undef, undef, undef, 0.25 }
    elsif (ready(0.25, $control)) { hear() }
  }
}

while (%file) {
  my @ready = ready($over ? 0 : undef, (map { $_->[0] } values %file), $heard ? () : $control);
  last if $over && !@ready;
  for my $handle (@ready) {
    if ($handle == $control) {
      hear();
      next;
    }
    my ($ours, $file, $stream) = @{ $file{fileno $handle} };
    my $read = sysread $ours, my $bytes, 65536;
    if ($read) {
      pass_on($stream, $bytes) if $stream;
      append($file, $bytes);
    }
    elsif (defined $read) { delete $file{fileno $ours} }
  }
}
hear() unless $heard;
syswrite $control, "\n";
exit($over ? $cut ? 76 : 0 : 75);
