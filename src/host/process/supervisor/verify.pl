# Runs the tests of a task in the container of the agent, from one beside it: /tests and /logs/verifier are those of this container,
# so that a process which the agent has left cannot read or change what is there, or put something in its place. All else is shared.
# Needs the PID namespace of the agent's container, and to be root with CAP_SYS_ADMIN and CAP_SYS_PTRACE, which it gives up before it
# starts anything. The tests keep one capability that the agent's processes lack and that does no harm here: the kernel lets a process
# of the same user into another one only if it has all capabilities of that.
# Arguments: user:group, further groups, workspace, then the command.
use strict;
use warnings;
use POSIX ();

my ($ids, $groups, $workspace, @command) = @ARGV;
my ($uid, $gid) = split /:/, $ids;

my %numbers = (
  x86_64 => { unshare => 272, mount => 165, prctl => 157, capset => 126, setns => 308 },
  aarch64 => { unshare => 97, mount => 40, prctl => 167, capset => 91, setns => 268 },
);
my $number = $numbers{ (POSIX::uname())[4] } or fail('this machine is not known');
@$number{qw(open_tree move_mount)} = (428, 429);
my ($MS_BIND, $MS_MOVE, $MS_REC, $MS_PRIVATE) = (0x1000, 0x2000, 0x4000, 0x40000);
my $OWN_CAPABILITY = 36; # CAP_BLOCK_SUSPEND

my $known = bounding_set('/proc/1/status');
my ($tests, $logs) = map { clone_of($_) } '/tests', '/logs/verifier';
my @namespaces = map { [$_, open_path("/proc/1/ns/$_")] } grep { -e "/proc/1/ns/$_" } qw(net uts ipc cgroup mnt);
for (@namespaces) { call('setns', $_->[1], 0) or fail("cannot enter the namespace $_->[0]: $!") }
call('unshare', 0x20000) or fail("cannot make a mount namespace: $!");
mount('none', '/', $MS_REC | $MS_PRIVATE);

# A new root is made on /sys, which is a mount for the agent's processes, too: they cannot move it. A mount on a folder of the image
# would end when one of them removed the folder.
my $sys = clone_of('/sys', 0x8000); # AT_RECURSIVE
mount('tmpfs', '/sys', 0, 'mode=755');
chdir '/sys' or fail("cannot enter the new root: $!");
opendir my $root, '/' or fail("cannot list /: $!");
bind_here($_, "/$_") for grep { !/^(\.\.?|tests|logs|sys)$/ } readdir $root;
mkdir $_ for qw(tests logs logs/verifier sys);
for (qw(agent artifacts)) { bind_here("logs/$_", "/logs/$_") if -d "/logs/$_" && !-l "/logs" && !-l "/logs/$_" }
place($sys, 'sys');
place($tests, 'tests');
place($logs, 'logs/verifier');
mount('.', '/', $MS_MOVE);
chroot '.' or fail("cannot enter the new root: $!");

open STDIN, '<', '/dev/null';
open STDOUT, '>', '/logs/verifier/test-stdout.txt' or fail("cannot write the output of the tests: $!");
open STDERR, '>&', \*STDOUT;
POSIX::close($_) for 3 .. 63;
become();
chdir $workspace or do { print "the folder $workspace is gone\n"; exit 126 };
exec { $command[0] } @command or do { print "$command[0] cannot be started: $!\n"; exit 127 };

sub fail { print STDERR "verifier: $_[0]\n"; exit 70 }
sub call { my ($name, @values) = @_; return syscall($number->{$name}, @values) != -1 }

sub mount {
  my ($from, $to, $flags, $options) = @_;
  $options = '' unless defined $options;
  my $kind = $from;
  call('mount', $from, $to, $kind, $flags, $options) or fail("cannot mount $to: $!");
}

sub open_path {
  my $descriptor = POSIX::open($_[0], POSIX::O_RDONLY());
  defined $descriptor or fail("cannot open $_[0]: $!");
  return $descriptor + 0;
}

# A copy of the mount of a folder, which can be placed elsewhere, also in the mounts of another container.
sub clone_of {
  my ($path, $flags) = @_;
  my $descriptor = syscall($number->{open_tree}, -100, $path, 1 | ($flags || 0)); # OPEN_TREE_CLONE
  $descriptor != -1 or fail("cannot clone $path: $!");
  return $descriptor;
}

sub place {
  my ($descriptor, $to) = @_;
  my $empty = '';
  call('move_mount', $descriptor, $empty, -100, $to, 4) or fail("cannot place $to: $!"); # MOVE_MOUNT_F_EMPTY_PATH
}

sub bind_here {
  my ($to, $from) = @_;
  if (-l $from) { symlink readlink($from), $to; return }
  if (-d $from) { mkdir $to } elsif (-f $from) { open my $file, '>', $to } else { return }
  mount($from, $to, $MS_BIND | $MS_REC);
}

sub bounding_set {
  open my $status, '<', $_[0] or fail("cannot read the capabilities of the container: $!");
  my ($set) = map { /^CapBnd:\s*([0-9a-f]+)/ ? hex $1 : () } <$status>;
  defined $set or fail('cannot read the capabilities of the container');
  return $set;
}

# Becomes the user, with the capabilities of the agent's container and one more.
sub become {
  for my $capability (0 .. 63) {
    next if $capability == $OWN_CAPABILITY || $known >> $capability & 1;
    last if !call('prctl', 24, $capability, 0, 0, 0); # PR_CAPBSET_DROP
  }
  $) = join ' ', $gid, split /,/, $groups;
  call('prctl', 8, 1, 0, 0, 0) or exit 72; # PR_SET_KEEPCAPS
  POSIX::setgid($gid) or exit 72;
  POSIX::setuid($uid) or exit 72;
  my $high = 1 << $OWN_CAPABILITY - 32;
  my ($low, $kept) = $uid == 0 ? ($known & 0xffffffff, $known >> 32 | $high) : (0, $high);
  my $header = pack 'L l', 0x20080522, 0;
  my $set = pack 'L6', $low, $low, 0, $kept, $kept, $uid == 0 ? 0 : $high;
  call('capset', $header, $set) or exit 73;
  call('prctl', 47, 2, $OWN_CAPABILITY, 0, 0) or exit 74 if $uid != 0; # PR_CAP_AMBIENT_RAISE
}
