# Starts programs for a worker, each in a session of its own: to fork this costs little, to fork the worker 10 ms of CPU.
# relay.pl runs in the fork, with the modules that are loaded here: another perl would take 8 ms to load them.
# Standard input, to its end: records of `quiet` or `piped`, a length in bytes, a newline, and strings with NUL between them:
# folder, number of variables, NAME=value for each, program, arguments. Standard output: `quiet` for each that was started without
# output, `failed` where the system has no room for it. For the others `piped`, the id of a process, and the descriptors of this
# process from which its output and errors can be read; the process becomes the program at the line `go` and its id, by when they
# were opened elsewhere. When it has ended, `end`, its id and status.
use strict;
use Fcntl ();
use POSIX ();
use Socket ();

my ($relay) = map { s/spawn\.pl\z/relay.pl/r } $0;
my (%waiting, %piped);
# An end must not be noticed before its beginning was told.
my $ends = POSIX::SigSet->new(POSIX::SIGCHLD());

$SIG{CHLD} = sub {
  while ((my $pid = waitpid(-1, POSIX::WNOHANG())) > 0) { syswrite STDOUT, "end $pid $?\n" if delete $piped{$pid} }
};
while (defined(my $line = <STDIN>)) {
  my ($kind, $number) = split ' ', $line;
  if ($kind eq 'go') {
    my ($out, $err, $go) = @{ delete $waiting{$number} };
    syswrite $go, '.';
    next;
  }
  exit 1 unless read(STDIN, my $record, $number) == $number;
  my $is_piped = $kind eq 'piped';
  my (@ours, @theirs);
  my $lacks = grep { !pipe($ours[$_], $theirs[$_]) } 0 .. ($is_piped ? 2 : -1);
  POSIX::sigprocmask(POSIX::SIG_BLOCK(), $ends);
  my $pid = $lacks ? undef : fork;
  if (!defined $pid) { syswrite STDOUT, "failed\n" }
  elsif ($pid) {
    $piped{$pid} = 1 if $is_piped;
    $waiting{$pid} = [@ours[0, 1], $theirs[2]] if $is_piped;
    syswrite STDOUT, $is_piped ? "piped $pid " . fileno($ours[0]) . ' ' . fileno($ours[1]) . "\n" : "quiet\n";
  }
  POSIX::sigprocmask(POSIX::SIG_UNBLOCK(), $ends);
  next if !defined $pid || $pid;
  $SIG{CHLD} = 'DEFAULT';
  %waiting = ();
  my ($folder, $variables, @words) = split /\0/, $record, -1;
  %ENV = map { split /=/, $_, 2 } splice @words, 0, $variables;
  open STDIN, '<', '/dev/null';
  open STDOUT, '>', '/dev/null';
  POSIX::setsid();
  chdir $folder or POSIX::_exit(127);
  if ($is_piped) {
    close $_ for @ours[0, 1], $theirs[2];
    sysread $ours[2], my $go, 1 or POSIX::_exit(127);
    open STDOUT, '>&', $theirs[0];
    open STDERR, '>&', $theirs[1];
  }
  if (@words > 1 && $words[1] eq $relay) {
    $0 = "perl relay.pl $words[3]"; # for people who look at processes
    @ARGV = @words[2 .. $#words];
    do $relay;
  }
  else { exec { $words[0] } @words }
  POSIX::_exit(127);
}
