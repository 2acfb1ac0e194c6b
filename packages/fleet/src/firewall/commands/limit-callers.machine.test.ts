import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { script } from '@fleet/shell'
import { localPool, localSession } from '@fleet/testing'
import { callersQuestion, limitCallers } from '#/firewall/commands/limit-callers.ts'

/** The kernel's table, as its file says it; `nft list` prints what is in the braces, and `fail-ARGUMENT` breaks a call. */
const PROGRAMS: Readonly<Record<string, string>> = {
  nft: `echo "nft $*" >>"$S/calls"
[ ! -e "$S/fail-nft$1" ] || exit 1
case $1 in
  list) [ -e "$S/table" ] && cat "$S/table" ;;
  delete) rm "$S/table" ;;
  -f) sed '1,/^delete/d' "$2" | tr '\\n' '\\t' >"$S/table" ;;
  -c) [ "$3" = - ] && grep -q '^table inet' ;;
esac
`,
  systemctl: `echo "systemctl $*" >>"$S/calls"
[ ! -e "$S/fail-systemctl$1" ] || exit 1
case $1 in
  is-enabled) [ -e "$S/enabled" ] ;;
  enable) touch "$S/enabled" ;;
  disable) rm -f "$S/enabled" ;;
esac
`,
  id: `case $3 in deploy) echo 1001 ;; ops) echo 20 ;; *) exit 1 ;; esac
`,
}

function machine(context: TestContext) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet callers-')))
  context.after(() => rmSync(home, { recursive: true, force: true }))
  const [root, bin, states] = [join(home, 'root'), join(home, 'bin'), join(home, 'state')]
  for (const folder of [root, bin, states]) mkdirSync(folder)
  mkdirSync(join(root, 'etc/systemd/system'), { recursive: true })
  for (const [name, text] of Object.entries(PROGRAMS)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nS='${states}'\n${text}`)
    chmodSync(join(bin, name), 0o755)
  }
  const session = localSession(localPool({ home, env: { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` } }))
  const gateway = '10.44.0.1'
  const calls = join(states, 'calls')
  return {
    root,
    states,
    limit: (accounts: readonly string[] | null) => session.ask(limitCallers, { root, gateway, accounts }),
    ask: async (accounts: readonly string[]) => {
      const { source, args, read } = callersQuestion({ gateway, accounts }, root)
      const { exitCode, stdout } = await session.run(script(source, ...(args ?? [])))
      return read({ exitCode: exitCode ?? 1, text: stdout.toString().trimEnd() })
    },
    /** What was run since the last look, but for questions. */
    changes: () => {
      const lines = existsSync(calls) ? readFileSync(calls, 'utf8').split('\n') : []
      rmSync(calls, { force: true })
      return lines.filter((line) => line !== '' && !/nft list|is-enabled/.test(line))
    },
  }
}

const FILE = 'etc/fleet/callers.nft'
const UNIT = 'etc/systemd/system/fleet-callers.service'

test('the rule rejects everybody but root and the named accounts, at the address of the gateway alone, and after a boot', async (context) => {
  const { root, limit, changes, ask } = machine(context)
  assert.deepEqual(await limit(['deploy', 'ops']), [])
  assert.equal(
    readFileSync(join(root, FILE), 'utf8'),
    `# Written by Fleet. Changes made here are replaced.
table inet fleet_callers
delete table inet fleet_callers
table inet fleet_callers {
  chain outgoing {
    type filter hook output priority 0; policy accept;
    ip daddr 10.44.0.1 tcp dport 443 meta skuid != { 0, 20, 1001 } reject with tcp reset
  }
  chain passing {
    type filter hook forward priority 0; policy accept;
    iifname != "fleet" ip daddr 10.44.0.1 tcp dport 443 reject with tcp reset
  }
}
`,
  )
  assert.equal(statSync(join(root, FILE)).mode & 0o777, 0o600)
  assert.match(readFileSync(join(root, UNIT), 'utf8'), /^Before=network-pre.target/m)
  assert.ok(changes().includes(`nft -f ${root}/${FILE}`))
  assert.deepEqual(await ask(['deploy', 'ops']), { isLimited: true, isExact: true, boots: true, unknown: [] })
  assert.deepEqual(await limit(['deploy', 'ops']), [])
  assert.deepEqual(changes(), [])
})

test('without an account root alone may call, and no limit leaves nothing behind', async (context) => {
  const { root, limit, changes, ask } = machine(context)
  await limit([])
  assert.match(readFileSync(join(root, FILE), 'utf8'), / meta skuid != 0 reject/)
  assert.deepEqual(await ask([]), { isLimited: true, isExact: true, boots: true, unknown: [] })
  await limit(null)
  assert.deepEqual([existsSync(join(root, FILE)), existsSync(join(root, UNIT))], [false, false])
  assert.equal((await ask([]))?.isLimited, false)
  changes()
  await limit(null)
  assert.deepEqual(changes(), [])
})

test('an account that the machine does not know changes nothing', async (context) => {
  const { root, limit, changes, ask } = machine(context)
  assert.deepEqual(await limit(['deploy', 'gone', 'lost']), ['gone', 'lost'])
  assert.equal(existsSync(join(root, FILE)), false)
  assert.deepEqual(changes(), [])
  assert.deepEqual((await ask(['deploy', 'gone']))?.unknown, ['gone'])
})

const DRIFT: ReadonlyArray<readonly [string, (machine: { root: string; states: string }) => void, object]> = [
  [
    'a table that somebody removed',
    ({ states }) => rmSync(join(states, 'table')),
    { isLimited: false, isExact: false },
  ],
  [
    'a table of somebody else',
    ({ states }) => writeFileSync(join(states, 'table'), 'table inet fleet_callers { }'),
    { isExact: false },
  ],
  ['a unit that is disabled', ({ states }) => rmSync(join(states, 'enabled')), { boots: false }],
  ['a file that is gone', ({ root }) => rmSync(join(root, FILE)), { boots: false }],
]
for (const [what, spoil, seen] of DRIFT)
  test(`${what} is found, and the same limit mends it`, async (context) => {
    const given = machine(context)
    await given.limit(['deploy'])
    const right = { isLimited: true, isExact: true, boots: true, unknown: [] }
    assert.deepEqual(await given.ask(['deploy']), right)
    spoil(given)
    assert.deepEqual(await given.ask(['deploy']), { ...right, ...seen })
    await given.limit(['deploy'])
    assert.deepEqual(await given.ask(['deploy']), right)
  })

const FAULTS: ReadonlyArray<readonly [string, string, object]> = [
  ['nft-c', 'firewall.apply_failed', { step: 'callers', reason: 'load_failed' }],
  ['nft-f', 'firewall.apply_failed', { step: 'callers', reason: 'load_failed' }],
  ['nftlist', 'firewall.verify_failed', { step: 'callers' }],
  ['systemctlenable', 'firewall.apply_failed', { step: 'callers', reason: 'enable_failed' }],
  ['systemctldaemon-reload', 'firewall.apply_failed', { step: 'callers', reason: 'enable_failed' }],
]
for (const [call, code, details] of FAULTS)
  test(`a machine that breaks at ${call} is ${code}, and the next limit is whole`, async (context) => {
    const { states, limit, ask } = machine(context)
    writeFileSync(join(states, `fail-${call}`), '')
    await assert.rejects(limit(['deploy']), (error: { code: string; details: object }) => {
      assert.equal(error.code, code)
      assert.deepEqual({ ...error.details, ...details }, error.details)
      return true
    })
    rmSync(join(states, `fail-${call}`))
    await limit(['deploy'])
    assert.deepEqual(await ask(['deploy']), { isLimited: true, isExact: true, boots: true, unknown: [] })
  })

test('rules that the machine refuses do not come into the file that it boots with', async (context) => {
  const { root, states, limit } = machine(context)
  await limit(['deploy'])
  const before = readFileSync(join(root, FILE), 'utf8')
  writeFileSync(join(states, 'fail-nft-c'), '')
  for (const _ of [1, 2]) {
    await assert.rejects(limit(['ops']), { code: 'firewall.apply_failed' })
    assert.equal(readFileSync(join(root, FILE), 'utf8'), before)
  }
})

test('a machine without nftables has no limit to lift, and takes none', async (context) => {
  const { root, limit } = machine(context)
  rmSync(join(root, '../bin/nft'))
  if (
    ['/usr/bin', '/usr/sbin', '/sbin', '/bin', '/usr/local/bin'].some((folder) =>
      existsSync(join(folder, 'nft')),
    )
  )
    return context.skip('this machine has nft')
  await assert.rejects(limit(['deploy']), { code: 'node.capability_missing' })
  assert.deepEqual(await limit(null), [])
})
