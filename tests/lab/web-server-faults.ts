import type { Host } from '../../lab/index.ts'
import type { Fault } from './faults.ts'

const CADDY = '/usr/bin/caddy'
const REFUSAL = `#!/bin/sh
[ "$1" != validate ] || { echo 'Error: refused' >&2; exit 1; }
exec ${CADDY}.kept "$@"
`
/** Takes every address of the port, as another web server does. */
const SQUATTER =
  'use IO::Socket::INET; my $s = IO::Socket::INET->new(LocalAddr => "0.0.0.0", LocalPort => 443, Listen => 9, ReuseAddr => 1) or die $!; sleep 3600'

const line = async (host: Host, script: string, input?: string): Promise<void> =>
  void (await host.run(['sh', '-c', script], { input }))

/** What stops the web server of a machine from serving another file. */
export const WEB_SERVER_FAULTS: readonly Fault[] = [
  {
    name: 'without a Caddy that accepts a file',
    inject: (host) => line(host, `mv ${CADDY} ${CADDY}.kept && cat >${CADDY} && chmod 755 ${CADDY}`, REFUSAL),
    clearFaults: (host) => line(host, `mv ${CADDY}.kept ${CADDY}`),
  },
  {
    name: 'without its port 443',
    inject: (host) =>
      line(
        host,
        `systemctl stop caddy; systemd-run --quiet --unit=squatter --collect perl -e '${SQUATTER}'
         for try in $(seq 50); do ss -Hlt 'sport = :443' | grep -q . && exit; sleep 0.1; done; exit 1`,
      ),
    clearFaults: (host) =>
      line(host, 'systemctl stop squatter; systemctl reset-failed caddy; systemctl start caddy || true'),
  },
]
