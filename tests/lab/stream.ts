import assert from 'node:assert/strict'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'

const PORT = 7777
const OVER = '/run/stream-over'

/** What became of datagrams that each waited for their echo. */
export interface Traffic {
  readonly sent: number
  readonly echoed: number
  /** The longest time without an echo. */
  readonly longestSeconds: number
}

/** Sends datagrams from one host to an address of another, one after the other, until it is ended. */
export async function startStream(from: Host, to: Host, address: string): Promise<() => Promise<Traffic>> {
  await from.run(['rm', '-f', OVER])
  await to.run([
    'systemd-run',
    '--quiet',
    '--unit=stream-echo',
    '--',
    'perl',
    '-e',
    ECHO,
    address,
    String(PORT),
  ])
  const client = from.run(['perl', '-e', CLIENT, address, String(PORT), OVER], { timeoutSeconds: 300 })
  client.catch(() => undefined)
  assert.ok(
    await waitFor(20, async () =>
      (await from.attempt(['test', '-e', '/run/stream-on'])).status === 0 ? true : undefined,
    ),
  )
  return async () => {
    await from.run(['touch', OVER])
    const [sent = 0, echoed = 0, longestSeconds = 0] = (await client).split(' ').map(Number)
    await to.run(['systemctl', 'stop', 'stream-echo'])
    await from.run(['rm', '-f', '/run/stream-on'])
    return { sent, echoed, longestSeconds }
  }
}

const ECHO = `use IO::Socket::INET;
my $s = IO::Socket::INET->new(LocalAddr => $ARGV[0], LocalPort => $ARGV[1], Proto => 'udp') or die $!;
while (my $from = $s->recv(my $text, 64)) { $s->send($text, 0, $from) }`

// An echo may be late on a busy machine, but it must come: only one that is lost takes three seconds.
const CLIENT = `use IO::Socket::INET; use Time::HiRes qw(time sleep);
my $s = IO::Socket::INET->new(PeerAddr => $ARGV[0], PeerPort => $ARGV[1], Proto => 'udp') or die $!;
my ($sent, $echoed, $longest, $last) = (0, 0, 0, time);
until (-e $ARGV[2]) {
  $s->send(++$sent);
  my $read = ''; vec($read, fileno($s), 1) = 1;
  if (select($read, undef, undef, 3) && defined $s->recv(my $text, 64)) {
    $echoed++;
    open(my $on, '>', '/run/stream-on') if $echoed == 1;
    my $gap = time - $last; $longest = $gap if $gap > $longest; $last = time;
  }
  sleep 0.01;
}
print "$sent $echoed $longest\\n";`
