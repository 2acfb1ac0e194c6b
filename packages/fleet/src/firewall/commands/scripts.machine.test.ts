import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Secret } from '@fleet/kernel'
import { Answer, type Command } from '@fleet/shell'
import { eventually, inputBytes } from '@fleet/testing'
import { readListeners } from '#/firewall/commands/read-listeners.ts'
import { readState } from '#/firewall/commands/read-state.ts'
import { WITH_LOCK, type Writing, writeRules } from '#/firewall/commands/write-rules.ts'
import { commandOf } from '#/nodes/api.ts'
import type { PresentFirewall } from '#/firewall/ufw/state.ts'
import { EMPTY_RULES, EMPTY_RULES6 } from '#/firewall/world.test.ts'

const hasTools = ['python3', 'sha256sum'].every((name) => spawnSync('which', [name]).status === 0)
const onLinux = process.platform === 'linux' && hasTools ? {} : { skip: 'needs Linux, python3 and sha256sum' }

/** What stands for the kernel: it loads what it is given, and reports the user's chains. */
const IPTABLES = `#!/bin/sh
case $1 in
  -C) [ -f "$0.rules" ] ;;
  -S) echo "-N $2"; sed -n "s/^\\(-A $2 .*\\)/\\1/p" "$0.rules" ;;
esac
`
const RESTORE = `#!/bin/sh
kernel=\${0%-restore}.rules
text=$(cat)
case $text in *COMMIT*) ;; *) exit 2 ;; esac
case $text in *REFUSED*) exit 2 ;; esac
case $* in *--test*) ;; *) printf '%s\\n' "$text" >"$kernel" ;; esac
`

type State = ReturnType<typeof writeRules.read>

const NOTHING = { before: 'missing', text: '' }
const NO_WRITING: Writing = { ipv4: NOTHING, ipv6: undefined, how: 'files', publicSshPorts: [] }

interface Ground {
  readonly root: string
  readonly file: (name: string) => string
  readonly read: () => State
  readonly write: (given?: Partial<Writing>, stdin?: string) => State
}

/** A folder with a UFW that is on, beside programs that stand for the kernel. */
function ground(t: TestContext): Ground {
  const root = fs.mkdtempSync(join(tmpdir(), 'fleet-ufw-'))
  t.after(() => fs.rmSync(root, { recursive: true, force: true }))
  for (const folder of ['bin', 'etc/ufw', 'etc/default', 'run', 'lib/ufw'])
    fs.mkdirSync(join(root, folder), { recursive: true })
  const programs = { ufw: '#!/bin/sh\n', iptables: IPTABLES, ip6tables: IPTABLES, systemctl: '#!/bin/sh\n' }
  const restore = { 'iptables-restore': RESTORE, 'ip6tables-restore': RESTORE }
  for (const [name, text] of Object.entries({ ...programs, ...restore }))
    fs.writeFileSync(join(root, 'bin', name), text, { mode: 0o755 })
  fs.writeFileSync(join(root, 'lib/ufw/ufw-init'), `#!/bin/sh\necho "$1" >>${root}/init\n`, { mode: 0o755 })
  const files = {
    'etc/ufw/user.rules': EMPTY_RULES,
    'etc/ufw/user6.rules': EMPTY_RULES6,
    'etc/ufw/ufw.conf': '# on or off\nENABLED=yes\nLOGLEVEL=low\n',
    'etc/default/ufw': 'IPV6=yes\nDEFAULT_INPUT_POLICY="DROP"\nIPT_MODULES=""\n',
    'bin/iptables.rules': EMPTY_RULES,
    'bin/ip6tables.rules': EMPTY_RULES6,
  }
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(join(root, name), text)
  const file = (name: string): string => fs.readFileSync(join(root, name), 'utf8')
  return {
    root,
    file,
    read: () => answerOf(commandOf(readState, { root })),
    write: (given, stdin) => answerOf(commandOf(writeRules, { ...writing(file), root, ...given }), stdin),
  }
}

const RULE =
  '\n### tuple ### allow tcp 22 0.0.0.0/0 any 0.0.0.0/0 in\n-A ufw-user-input -p tcp --dport 22 -j ACCEPT\n'
const NEXT = EMPTY_RULES.replace('### RULES ###\n', `### RULES ###\n${RULE}`)

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

const writing = (file: Ground['file']): Writing => ({
  ipv4: { before: digest(file('etc/ufw/user.rules')), text: NEXT },
  ipv6: { before: digest(EMPTY_RULES6), text: EMPTY_RULES6 },
  how: 'load',
  publicSshPorts: [22],
})

function answerOf(command: Command, stdin?: string): State {
  const { status, stdout } = spawnSync('sh', ['-c', command.line], {
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    input: inputBytes(stdin === undefined ? command : { ...command, stdin: new Secret(stdin) }),
  })
  assert.equal(status, 0)
  return writeRules.read(new Answer(stdout), NO_WRITING)
}

const refused = (reason: string) => ({ refused: reason })
const backendOf = (answer: State): string => ('refused' in answer ? answer.refused : answer.backend)

test('the state is that of the files and of the kernel', onLinux, (t) => {
  const { root, read } = ground(t)
  const state = read()
  assert.ok('backend' in state && state.backend === 'active')
  assert.deepEqual([state.ipv4.digest, state.ipv6?.digest], [digest(EMPTY_RULES), digest(EMPTY_RULES6)])
  assert.deepEqual([...state.ipv4.kernel.keys()], ['ufw-user-input', 'ufw-user-forward'])
  fs.writeFileSync(join(root, 'etc/default/ufw'), "IPV6='no'\n")
  assert.ok('backend' in state && backendOf(read()) === 'active')
  fs.writeFileSync(join(root, 'etc/ufw/ufw.conf'), 'ENABLED=yes\nENABLED=no\n')
  assert.equal(backendOf(read()), 'inactive')
  fs.writeFileSync(join(root, 'etc/ufw/ufw.conf'), 'ENABLED="YES"\n')
  assert.equal(backendOf(read()), 'active')
  fs.rmSync(join(root, 'bin/iptables.rules'))
  assert.equal(backendOf(read()), 'inactive')
  fs.rmSync(join(root, 'etc/ufw'), { recursive: true })
  assert.equal(backendOf(read()), 'absent')
})

test('a firewall lasts while it denies what no rule admits and starts with the machine', onLinux, (t) => {
  const { root, read } = ground(t)
  const seen = (): PresentFirewall => {
    const state = read()
    assert.ok('isLasting' in state)
    return state
  }
  const isLasting = (): boolean => seen().isLasting
  const deniesRest = (): boolean => seen().deniesRest
  const systemctl = (text: string): void =>
    fs.writeFileSync(join(root, 'bin/systemctl'), `#!/bin/sh\n${text}\n`)
  const policy = (word: string): void =>
    fs.writeFileSync(join(root, 'etc/default/ufw'), `IPV6=yes\nDEFAULT_INPUT_POLICY="${word}"\n`)
  assert.equal(isLasting(), true)
  systemctl('exit 1')
  assert.equal(isLasting(), false)
  assert.equal(deniesRest(), true)
  systemctl('exit 0')
  policy('ACCEPT')
  assert.equal(isLasting(), false)
  assert.equal(deniesRest(), false)
  policy('REJECT')
  assert.equal(isLasting(), true)
  fs.rmSync(join(root, 'bin/iptables.rules'))
  assert.equal(isLasting(), false)
})

test('files are exchanged with the mode that UFW gives, and loaded; nothing else is left', onLinux, (t) => {
  const { root, file, write } = ground(t)
  const answer = write()
  assert.ok('backend' in answer && answer.backend === 'active')
  assert.equal(answer.ipv4.digest, digest(NEXT))
  assert.deepEqual([file('etc/ufw/user.rules'), file('bin/iptables.rules')], [NEXT, NEXT])
  assert.equal(fs.statSync(join(root, 'etc/ufw/user.rules')).mode & 0o777, 0o640)
  assert.deepEqual(fs.readdirSync(join(root, 'etc/ufw')).toSorted(), [
    'ufw.conf',
    'user.rules',
    'user6.rules',
  ])
})

test('a firewall that is off gets its files alone', onLinux, (t) => {
  const { file, write } = ground(t)
  write({ how: 'files' })
  assert.deepEqual([file('etc/ufw/user.rules'), file('bin/iptables.rules')], [NEXT, EMPTY_RULES])
})

test('other rules than expected are never replaced', onLinux, (t) => {
  const { root, file, write } = ground(t)
  const expected = writing(file)
  const before = { before: digest('other'), text: NEXT }
  assert.deepEqual(write({ ipv4: before }), refused('changed'))
  assert.deepEqual(write({ ipv6: { ...before, text: EMPTY_RULES6 } }), refused('changed'))
  assert.deepEqual(write({ ipv4: { ...before, before: 'missing' } }), refused('changed'))
  assert.equal(file('etc/ufw/user.rules'), EMPTY_RULES)
  fs.rmSync(join(root, 'etc/ufw/user.rules'))
  const { ipv6, how, publicSshPorts } = expected
  const given = { ipv4: { before: 'missing', text: NEXT }, ipv6, how, publicSshPorts, root }
  assert.equal(backendOf(answerOf(commandOf(writeRules, given))), 'active')
  assert.equal(file('etc/ufw/user.rules'), NEXT)
})

test('rules that the kernel would not take, or that did not arrive whole, change nothing', onLinux, (t) => {
  const { root, file, write } = ground(t)
  const { ipv4 } = writing(file)
  const bad = { ...ipv4, text: NEXT.replace('### RULES', '# REFUSED\n### RULES') }
  assert.deepEqual(write({ ipv4: bad }), refused('rules_refused'))
  assert.deepEqual(write({}, NEXT.slice(0, 50)), refused('content_incomplete'))
  assert.deepEqual(write({}, NEXT + EMPTY_RULES6.slice(0, 9)), refused('content_incomplete'))
  assert.deepEqual([file('etc/ufw/user.rules'), file('bin/iptables.rules')], [EMPTY_RULES, EMPTY_RULES])
  assert.equal(fs.readdirSync(join(root, 'etc/ufw')).length, 3)
})

test('what a killed attempt left behind is swept', onLinux, (t) => {
  const { root, write } = ground(t)
  for (const name of ['.fleet-user.rules', '.fleet-user6.rules', '.fleet-setting'])
    fs.writeFileSync(join(root, 'etc/ufw', name), 'half')
  write()
  assert.equal(fs.readdirSync(join(root, 'etc/ufw')).length, 3)
})

test(
  'turning it on denies what no rule admits, keeps every other setting, and starts or reloads as needed [NODE-051]',
  onLinux,
  (t) => {
    const { root, file, write } = ground(t)
    const init = (): string => (fs.existsSync(join(root, 'init')) ? file('init') : '')
    write({ how: 'enable' })
    assert.equal(init(), '')
    fs.writeFileSync(
      join(root, 'etc/default/ufw'),
      'IPV6=yes\nDEFAULT_INPUT_POLICY="ACCEPT"\nIPT_MODULES=""\n',
    )
    write({ how: 'enable' })
    assert.equal(init(), 'force-reload\n')
    assert.equal(file('etc/default/ufw'), 'IPV6=yes\nDEFAULT_INPUT_POLICY=DROP\nIPT_MODULES=""\n')
    fs.writeFileSync(join(root, 'etc/default/ufw'), 'IPV6=yes\nDEFAULT_INPUT_POLICY="REJECT"\n')
    fs.writeFileSync(join(root, 'etc/ufw/ufw.conf'), '# on or off\nENABLED=no\nLOGLEVEL=low\n')
    write({ how: 'enable' })
    assert.equal(init(), 'force-reload\nstart\n')
    assert.equal(file('etc/ufw/ufw.conf'), '# on or off\nENABLED=yes\nLOGLEVEL=low\n')
    assert.equal(file('etc/default/ufw'), 'IPV6=yes\nDEFAULT_INPUT_POLICY="REJECT"\n')
    fs.writeFileSync(join(root, 'etc/ufw/ufw.conf'), '')
    write({ how: 'enable' })
    assert.equal(file('etc/ufw/ufw.conf'), 'ENABLED=yes\n')
  },
)

test('the way over the tunnel is not proven by a session that came in elsewhere [NODE-066]', onLinux, (t) => {
  const { file, write } = ground(t)
  assert.deepEqual(write({ tunnel: { address: '10.44.0.11', port: 22 } }), refused('not_over_tunnel'))
  assert.equal(file('etc/ufw/user.rules'), EMPTY_RULES)
})

test("a change waits for whoever holds UFW's own lock", onLinux, async (t) => {
  const { root, file } = ground(t)
  const lock = join(root, 'run/ufw.lock')
  const holder = spawn('python3', ['-c', WITH_LOCK, lock, 'sh', '-c', 'echo held; read line'], {
    stdio: 'pipe',
  })
  t.after(() => holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  const command = commandOf(writeRules, { ...writing(file), root })
  const waiting = spawn('sh', ['-c', command.line], { stdio: ['pipe', 'pipe', 'ignore'] })
  t.after(() => waiting.kill('SIGKILL'))
  waiting.stdin.end(inputBytes(command))
  const answered = once(waiting.stdout, 'data')
  const waiter = new RegExp(`-> POSIX .*:${fs.statSync(lock).ino} `)
  await eventually(() => waiter.test(fs.readFileSync('/proc/locks', 'utf8')))
  assert.equal(file('etc/ufw/user.rules'), EMPTY_RULES)
  holder.stdin.end('\n')
  await answered
  assert.equal(file('etc/ufw/user.rules'), NEXT)
})

test(
  'what listens is read with its programs, and of the rules of containers the ports that they publish to all',
  onLinux,
  (t) => {
    const { root } = ground(t)
    const programs = {
      ss: `echo 'tcp LISTEN 0 511 0.0.0.0:80 0.0.0.0:* users:(("nginx",pid=7,fd=6))'`,
      iptables: `[ "$*" = '-t nat -S' ] && cat <<'END'
-P PREROUTING ACCEPT
-N DOCKER
-A POSTROUTING -s 172.17.0.2/32 -d 172.17.0.2/32 -p tcp -m tcp --dport 80 -j MASQUERADE
-A DOCKER -i docker0 -j RETURN
-A DOCKER ! -i docker0 -p tcp -m tcp --dport 8080 -j DNAT --to-destination 172.17.0.2:80
-A DOCKER -d 127.0.0.1/32 ! -i docker0 -p tcp -m tcp --dport 8081 -j DNAT --to-destination 172.17.0.2:80
-A NETAVARK-DN-1 -p udp -m udp --dport 53 -j DNAT --to-destination 10.88.0.2:53
END`,
    }
    for (const [name, text] of Object.entries(programs))
      fs.writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    const command = commandOf(readListeners, { root })
    const { stdout } = spawnSync('sh', ['-c', command.line], { input: inputBytes(command) })
    assert.deepEqual(readListeners.read(new Answer(stdout), { root }), {
      listeners: [{ protocol: 'tcp', address: '0.0.0.0', port: 80, program: { name: 'nginx', pid: 7 } }],
      published: ['tcp 8080', 'udp 53'],
    })
  },
)
