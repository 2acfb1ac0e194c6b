import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localSession, serviceHost } from '@fleet/testing'
import { BASE_PACKAGES, prepare } from './prepare.ts'

const ADMITTED = { user: 'fleet', publicKey: 'ssh-ed25519 AAAA gateway\n', mayTakeOver: false }

test('an enrolment removes no package of the machine: it ends before anything changes and says which would go', async () => {
  using host = serviceHost()
  host.install(
    'dpkg-query',
    `printf '%s=ii \\n' acl ca-certificates git nftables procps rsync sqlite3 sudo wireguard-go wireguard-tools`,
  )
  host.install('dpkg', 'exit 0')
  host.install(
    'apt-get',
    `echo "$*" >>"$0.log"
    case " $* " in
      *' -s '*) printf '%s\\n' 'Remv resolvconf [1.92]' 'Remv iptables-persistent [1.0]' 'Inst ufw (0.36 Debian)' ;;
      *' --no-remove '*) echo 'E: Packages need to be removed but remove is disabled.' >&2; exit 100 ;;
    esac`,
  )
  for (const name of ['id', 'useradd', 'getent']) host.install(name, `echo ${name} >>"$0.log"; exit 1`)
  await assert.rejects(localSession(host.pool).ask(prepare, ADMITTED), {
    code: 'node.bootstrap_failed',
    message:
      /^For what a Node needs, apt would remove resolvconf, iptables-persistent from the machine, so nothing was installed\. `apt-get install --no-install-recommends (?:systemd-resolved )?ufw` there /,
    details: {
      node: { id: 7, name: 'web-1' },
      reason: 'would_remove',
      would_remove: ['resolvconf', 'iptables-persistent'],
    },
  })
  const ran = host.read('fake/apt-get.log')?.trim().split('\n') ?? []
  assert.deepEqual(
    ran.map((words) => [words.includes(' -s '), words.includes(' --no-remove '), words.includes(' update ')]),
    [
      [false, true, false],
      [true, false, false],
    ],
  )
  assert.equal(host.read('fake/useradd.log'), undefined)
})

test('packages that the operator of the machine holds, or is about to remove, are installed', async () => {
  using host = serviceHost()
  const words =
    'acl ca-certificates nftables procps rsync sqlite3 sudo systemd-resolved wireguard-go wireguard-tools'
  host.install('dpkg-query', `printf '%s=ii \\n' ${words}; printf 'ufw=hi \\ngit=ri \\n'`)
  for (const name of ['apt-get', 'useradd']) host.install(name, `echo "$*" >>"$0.log"; exit 1`)
  for (const name of ['dpkg', 'systemctl', 'getent', 'id']) host.install(name, 'exit 1')
  // There is no user to prepare in the end.
  await assert.rejects(localSession(host.pool).ask(prepare, ADMITTED), { code: 'node.bootstrap_failed' })
  assert.equal(host.read('fake/apt-get.log'), undefined)
  assert.ok(host.read('fake/useradd.log')?.includes('fleet'))
})

test('a machine with firewalld is refused before anything changes, whether that runs now or at the next start', async () => {
  for (const state of ['is-enabled', 'is-active']) {
    using host = serviceHost()
    host.install('systemctl', `[ "$*" = '${state} --quiet firewalld' ]`)
    for (const name of ['dpkg-query', 'apt-get', 'useradd'])
      host.install(name, `echo "$*" >>"$0.log"; exit 1`)
    await assert.rejects(localSession(host.pool).ask(prepare, ADMITTED), {
      code: 'node.bootstrap_failed',
      message: /^firewalld is on\..* `systemctl disable --now firewalld` turns it off/,
      details: { node: { id: 7, name: 'web-1' }, reason: 'other-firewall' },
    })
    for (const name of ['apt-get', 'useradd']) assert.equal(host.read(`fake/${name}.log`), undefined)
  }
})

test('a lock that apt waited for and got is not what failed then, and one that it did not get is', async () => {
  const waited =
    'Waiting for cache lock: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (dpkg)...'
  for (const [last, reason] of [
    ['E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (dpkg)', 'packages-locked'],
    ['E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend)', 'packages-locked'],
    ['E: Sub-process /usr/bin/dpkg returned an error code (1)', 'packages-failed'],
  ] as const) {
    using host = serviceHost()
    host.install('dpkg-query', 'exit 0')
    host.install('dpkg', 'exit 0')
    host.install('systemctl', 'exit 1')
    host.install('apt-get', `printf '%s\\n' '${waited}' '${last}' >&2; exit 100`)
    await assert.rejects(
      localSession(host.pool).ask(prepare, ADMITTED),
      ({ details }) => details.reason === reason,
      last,
    )
  }
})

const ALL_PACKAGES = `printf '%s=ii \\n' ${BASE_PACKAGES.join(' ')}`

/** A machine with all packages, on which a user has been there before. */
const withUser = (line: string) => {
  const host = serviceHost()
  host.write('home/.profile', '')
  host.install('dpkg-query', ALL_PACKAGES)
  host.install('systemctl', 'exit 1')
  host.install('getent', `echo '${line.replace('HOME', host.at('home'))}'`)
  host.install('id', 'case $1 in -u) echo 996 ;; *) echo daemons ;; esac')
  for (const name of ['apt-get', 'useradd', 'visudo']) host.install(name, `echo "$*" >>"$0.log"; exit 1`)
  host.install('runuser', `echo "$*" >>"$0.log"; exit 1`)
  return host
}

test('a user whom Fleet did not create becomes root only where the request names it', async () => {
  using host = withUser('fleet:x:996:996:FleetDM:HOME:/bin/bash')
  const session = localSession(host.pool)
  await assert.rejects(session.ask(prepare, ADMITTED), {
    code: 'node.bootstrap_failed',
    message:
      /^The machine has a user fleet that Fleet did not create\. .* nothing was changed\. .* `--fleet-user fleet`\.$/,
    details: { node: { id: 7, name: 'web-1' }, reason: 'foreign-user', user: 'fleet' },
  })
  assert.equal(host.read('fake/runuser.log'), undefined)
  await assert.rejects(
    session.ask(prepare, { ...ADMITTED, mayTakeOver: true }),
    ({ details }) => details.reason === 'key-failed',
  )
})

test('the user of an attempt that died before its sudo rule is the one that Fleet created', async () => {
  using host = withUser('fleet:x:996:996:Managed by Fleet:HOME:/bin/bash')
  await assert.rejects(
    localSession(host.pool).ask(prepare, ADMITTED),
    ({ details }) => details.reason === 'key-failed',
  )
})

test('a managed user that cannot log in, or whose home it cannot write, is named with the command that helps', async () => {
  using silent = withUser('fleet:x:996:996::HOME:/usr/sbin/nologin')
  const request = { ...ADMITTED, mayTakeOver: true }
  await assert.rejects(localSession(silent.pool).ask(prepare, request), {
    message: /^The managed user fleet has the login shell \/usr\/sbin\/nologin.* `chsh -s \/bin\/bash fleet`/,
    details: {
      node: { id: 7, name: 'web-1' },
      reason: 'no-login',
      user: 'fleet',
      shell: '/usr/sbin/nologin',
    },
  })
  assert.equal(silent.read('fake/runuser.log'), undefined)
  using closed = withUser('fleet:x:996:996::/usr:/bin/bash')
  await assert.rejects(localSession(closed.pool).ask(prepare, request), {
    message: /^The managed user fleet cannot write \/usr, .*`chown fleet: \/usr`/,
    details: { node: { id: 7, name: 'web-1' }, reason: 'key-failed', user: 'fleet', path: '/usr' },
  })
})
