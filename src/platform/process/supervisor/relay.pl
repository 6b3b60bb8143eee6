# Appends an agent's output to its files, so that the agent itself has no file that it could open, shorten or write over.
# Arguments: kind folder, then the command that becomes the supervisor (supervise.sh), of which this is a child process.
# kind: `pipe`, or `socket`, which no process can open by its name in /proc. Some programs cannot use /dev/stdout then.
# The supervisor gets the descriptors 5 and 6, what the agent writes to, and 7: it writes a line there when nobody writes any more,
# and gets one when all is in the files. LLM_TOOL_TEST_RELAY is the id of this process.
use strict;
use Fcntl qw(O_WRONLY O_APPEND O_CREAT F_SETFL O_NONBLOCK);
use POSIX ();
use Socket;

# In seconds: how long a full disk can delay the end.
my $PATIENCE = 5;

my ($kind, $folder, @command) = @ARGV;
$^F = 255; # the command inherits what it is given
my (@from, @to);
for my $name ('out', 'err', 'control') {
  my ($ours, $theirs);
  ($kind eq 'pipe' && $name ne 'control' ? pipe($ours, $theirs) : socketpair($ours, $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC))
    or exit 71;
  push @from, $ours;
  push @to, $theirs;
}
my $pid = fork;
exit 71 unless defined $pid;
if ($pid) {
  close $_ for @from;
  # By way of others, as they may have these numbers already.
  POSIX::dup2(fileno $to[$_], 20 + $_) for 0 .. 2;
  close $_ for @to;
  for (0 .. 2) {
    POSIX::dup2(20 + $_, 5 + $_);
    POSIX::close(20 + $_);
  }
  $ENV{LLM_TOOL_TEST_RELAY} = $pid;
  exec { $command[0] } @command;
  POSIX::_exit(127);
}

$SIG{$_} = 'IGNORE' for 'TERM', 'HUP', 'INT', 'PIPE';
close $_ for @to;
my $control = pop @from;
my (%file, $over, $waited);
for my $ours (@from) {
  sysopen my $file, "$folder/" . (keys %file ? 'err' : 'out'), O_WRONLY | O_APPEND | O_CREAT, 0600 or exit 73;
  fcntl $ours, F_SETFL, O_NONBLOCK;
  $file{fileno $ours} = [$ours, $file];
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
    if ($over) { select undef, undef, undef, 0.25 }
    elsif (ready(0.25, $control)) { sysread $control, my $line, 1; $over = 1 }
  }
}

while (%file) {
  my @ready = ready($over ? 0 : undef, (map { $_->[0] } values %file), $over ? () : $control);
  last if $over && !@ready;
  for my $handle (@ready) {
    if ($handle == $control) {
      sysread $control, my $line, 1;
      $over = 1;
      next;
    }
    my ($ours, $file) = @{ $file{fileno $handle} };
    my $read = sysread $ours, my $bytes, 65536;
    if ($read) { append($file, $bytes) }
    elsif (defined $read) { delete $file{fileno $ours} }
  }
}
sysread $control, my $line, 1 unless $over;
syswrite $control, "\n";
