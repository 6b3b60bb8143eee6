# Starts programs for a worker, each in a session of its own: to fork this costs little, to fork the worker 10 ms of CPU.
# relay.pl runs in the fork, with the modules that are loaded here: another perl would take 8 ms to load them.
# Standard input, to its end: records of a length in bytes, a newline, and strings with NUL between them: folder, number of
# variables, NAME=value for each, program, arguments. Standard output: a byte for each that was started.
use strict;
use Fcntl ();
use POSIX ();
use Socket ();

my ($relay) = map { s/spawn\.pl\z/relay.pl/r } $0;

$SIG{CHLD} = sub { 1 while waitpid(-1, POSIX::WNOHANG()) > 0 };
while (defined(my $length = <STDIN>)) {
  exit 1 unless read(STDIN, my $record, $length) == $length;
  my $pid = fork;
  exit 1 unless defined $pid;
  if ($pid) {
    syswrite STDOUT, '.';
    next;
  }
  $SIG{CHLD} = 'DEFAULT';
  my ($folder, $variables, @words) = split /\0/, $record, -1;
  %ENV = map { split /=/, $_, 2 } splice @words, 0, $variables;
  open STDIN, '<', '/dev/null';
  open STDOUT, '>', '/dev/null';
  POSIX::setsid();
  chdir $folder or POSIX::_exit(127);
  if (@words > 1 && $words[1] eq $relay) {
    $0 = "perl relay.pl $words[3]"; # for people who look at processes
    @ARGV = @words[2 .. $#words];
    do $relay;
  }
  else { exec { $words[0] } @words }
  POSIX::_exit(127);
}
