import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { shareEnrolmentNet } from './enrolment-net.ts'
import { onHosts } from './site.ts'

const started = shareEnrolmentNet('closed')

/** An image of the host's own shell and `sleep`, in which nothing listens. */
const PUBLISHED = `
systemctl start docker
mkdir -p /tmp/i/bin /tmp/i/lib64 /tmp/i/lib/x86_64-linux-gnu
cp -L /bin/sh /bin/sleep /tmp/i/bin && cp -L /lib64/ld-linux-x86-64.so.2 /tmp/i/lib64
cp -L /lib/x86_64-linux-gnu/libc.so.6 /tmp/i/lib/x86_64-linux-gnu
tar -C /tmp/i -c . | docker import - tiny:1
docker run -d -p 18080:80 -p 127.0.0.1:18081:80 tiny:1 /bin/sh -c 'while :; do sleep 1; done'`

const LISTENING = `
systemd-run --unit=site python3 -m http.server --bind 0.0.0.0 80
systemd-run --unit=inner python3 -m http.server --bind 127.0.0.1 81
until ss -Hltn 'sport = :80' | grep -q .; do sleep 0.1; done`

/** What becomes of a connection from one host to a port of another: a container without a listener refuses it itself. */
async function connected(from: Host, to: Host, port: number): Promise<'open' | 'refused' | 'silent'> {
  const line = `exec 3<>/dev/tcp/${to.address}/${port}`
  const { status, stderr } = await from.attempt(['timeout', '3', 'bash', '-c', line])
  if (status === 0) return 'open'
  return stderr.includes('refused') ? 'refused' : 'silent'
}

test(
  'an enrolment names the ports that its firewall closes, and those of containers, which it does not',
  onHosts,
  async () => {
    const fleet = await started()
    const host = await fleet.host('serving')
    for (const line of [LISTENING, PUBLISHED])
      await host.run(['bash', '-eu', '-c', line], { timeoutSeconds: 90 })
    const ports = (): Promise<readonly string[]> =>
      Promise.all([80, 18_080, 22].map((port) => connected(fleet.hub, host, port)))
    assert.deepEqual(await ports(), ['open', 'refused', 'open'])
    const { data, failure } = await fleet.enroll(host)
    assert.equal(failure, undefined, String(failure?.cause))
    assert.deepEqual(data?.follow_up?.split('\n'), [
      `The firewall of ${host.name} is on now, and closes these ports to all but the private network: 80/tcp (python3). Each command opens one again:`,
      `fleet node:firewall:allow ${host.name} python3-80 80`,
      `Containers on ${host.name} publish 18080/tcp: over IPv4 these ports bypass the firewall, and stay open.`,
    ])
    assert.deepEqual(await ports(), ['silent', 'refused', 'open'])
    assert.equal((await fleet.enroll(host)).data?.follow_up, null)
  },
)
