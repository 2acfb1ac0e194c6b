import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doctorReport } from '@fleet/contract'
import { sampleShare, testSeed } from '@fleet/testing/sample'
import fc from 'fast-check'
import type { Host } from '../../lab/index.ts'
import type { JsonObject } from '../embedded/ask.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({
  name: 'tlq',
  nodes: [{ name: 'web', roles: ['app-dev', 'database'], words: ['--tld', 'tlq.test'] }],
})

/** 20, and 200 with `--whole`, in parts: each is a test, and the host is the same. */
const OPERATIONS = 200 / sampleShare(10)
const PART = 20

/** A repository whose packages need each other, want something away that the Node lives from, or have a script that fails. */
const REPOSITORY = `set -eu
repo=/srv/fleet-sequences
mkdir -p "$repo"
build() { # name control-line postinst
  tree=$(mktemp -d)
  mkdir -p "$tree/DEBIAN"
  printf 'Package: %s\\nVersion: 1.0.0-1\\nArchitecture: all\\nMaintainer: Fleet <fleet@example.com>\\nDescription: test\\n%b' "$1" "$2" >"$tree/DEBIAN/control"
  if [ -n "$3" ]; then printf '#!/bin/sh\\n%s\\n' "$3" >"$tree/DEBIAN/postinst"; chmod 755 "$tree/DEBIAN/postinst"; fi
  chmod 755 "$tree"
  dpkg-deb --build "$tree" "$repo/$1.deb" >/dev/null
  rm -rf "$tree"
}
build seq-base '' ''
build seq-needs 'Depends: seq-base\\n' ''
build seq-rival 'Conflicts: seq-base\\n' ''
build seq-ssh 'Conflicts: openssh-server\\n' ''
build seq-sudo 'Conflicts: sudo\\n' ''
build seq-tunnel 'Breaks: wireguard-tools\\n' ''
build seq-docker 'Conflicts: docker.io\\n' ''
build seq-broken '' 'exit 1'
cd "$repo"
for deb in *.deb; do
  dpkg-deb -f "$deb"; echo "Filename: ./$deb"; echo "Size: $(wc -c <"$deb")"; echo "SHA256: $(sha256sum "$deb" | cut -c 1-64)"; echo
done >Packages
echo 'deb [trusted=yes] file:/srv/fleet-sequences ./' >/etc/apt/sources.list.d/fleet-sequences.list
apt-get -q -o Dir::Etc::sourcelist=/etc/apt/sources.list.d/fleet-sequences.list -o Dir::Etc::sourceparts=- -o APT::Get::List-Cleanup=0 update >/dev/null
`

const LIVES_FROM = [
  'openssh-server',
  'sudo',
  'wireguard-tools',
  'ufw',
  'ca-certificates',
  'docker.io',
] as const
const MADE = [
  'seq-base',
  'seq-needs',
  'seq-rival',
  'seq-ssh',
  'seq-sudo',
  'seq-tunnel',
  'seq-docker',
  'seq-broken',
] as const
const operation = fc.record({
  verb: fc.oneof(
    { weight: 3, arbitrary: fc.constant('install' as const) },
    { weight: 2, arbitrary: fc.constant('remove' as const) },
    { weight: 1, arbitrary: fc.constantFrom('adopt' as const, 'update' as const) },
  ),
  name: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...MADE) },
    { weight: 1, arbitrary: fc.constantFrom(...LIVES_FROM) },
  ),
  /** Which of the Tools is updated or removed; without any, the package is installed. */
  place: fc.nat(),
})
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

const rankOf = (tool: JsonObject): number => (tool['package'] === 'seq-base' ? 1 : 0)

interface Tools {
  readonly fleet: InstalledFleet
  readonly node: string
}

interface Played {
  readonly verb: Operation['verb']
  readonly name: string
  readonly outcome: string
}

/** A refusal is an answer like any other here; what it left is compared afterwards. */
async function play({ fleet, node }: Tools, { verb, name, place }: Operation): Promise<Played> {
  const tools = await fleet.records('tool:list', node)
  const tool = tools[place % tools.length]
  if (tool === undefined || verb === 'install' || verb === 'adopt') {
    const begun = verb === 'adopt' ? verb : 'install'
    return { verb: begun, name, outcome: await outcomeOf(fleet.record(`tool:${begun}`, node, 'apt', name)) }
  }
  return { verb, name: String(tool['package']), outcome: await again({ fleet, node }, verb, tool) }
}

const again = ({ fleet }: Tools, verb: 'update' | 'remove', tool: JsonObject): Promise<string> =>
  outcomeOf(fleet.record(`tool:${verb}`, String(tool['id']), ...(verb === 'remove' ? ['--yes'] : [])))

const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    () => 'refused',
  )

/** Removes a package once more, whose Tool is still there. */
async function repeat(tools: Tools, name: string): Promise<string> {
  const left = await tools.fleet.records('tool:list', tools.node)
  const tool = left.find((one) => one['package'] === name) ?? assert.fail(`${name} has no Tool any more`)
  return again(tools, 'remove', tool)
}

const installed = async (host: Host): Promise<ReadonlySet<string>> => {
  const listed = await host.run(['dpkg-query', '-W', '-f', '${db:Status-Status} ${Package}\\n'])
  return new Set(
    listed
      .split('\n')
      .flatMap((line) => (line.startsWith('installed ') ? [line.slice('installed '.length)] : [])),
  )
}

/** What the Node lives from works: it is asked on the host itself, whatever the packages say. */
async function requireAlive(host: Host): Promise<void> {
  for (const unit of ['ssh', 'wg-quick@*', 'systemd-resolved', 'dnsmasq', 'ufw', 'docker']) {
    const state = (await host.attempt(['systemctl', 'list-units', '--state=failed', '--no-legend', unit]))
      .stdout
    assert.equal(state.trim(), '', unit)
  }
  assert.equal((await host.run(['systemctl', 'is-active', 'ssh'])).trim(), 'active')
  assert.match(await host.run(['ufw', 'status']), /Status: active/)
  await host.run(['sudo', '-n', 'true'])
  await host.run(['docker', 'info'])
  await host.run(['resolvectl', 'query', 'gateway.fleet'])
}

const sequence = fc.sample(operation, { seed: testSeed(), numRuns: OPERATIONS })
const done: string[] = []

/** Plays the next operations; whatever was refused, nothing is gone that nobody asked to remove, and Doctor is content. */
async function playPart(tools: Tools, host: Host): Promise<void> {
  let before = await installed(host)
  for (const one of sequence.slice(done.length, done.length + PART)) {
    const { verb, name, outcome } = await play(tools, one)
    done.push(`${verb} ${name}: ${outcome}`)
    const after = await installed(host)
    const gone = [...before].filter((other) => !after.has(other))
    const asked: readonly string[] = verb === 'remove' ? [name] : []
    assert.deepEqual(
      gone.filter((other) => !asked.includes(other)),
      [],
      done.join('\n'),
    )
    // Apt fails for another package's script after it removed this one: the record says so, and the repeat finishes.
    if (gone.length > 0 && outcome === 'refused')
      assert.equal(await repeat(tools, name), 'done', done.join('\n'))
    before = after
    // A Tool that failed says itself what to repeat.
    const issues = await issuesOf(tools)
    assert.deepEqual(
      issues.filter((issue) => !issue.startsWith('tool.lifecycle_not_active ')),
      [],
      done.join('\n'),
    )
  }
}

/** Removes what is left, and finds nothing wrong. */
async function requireClean({ fleet, node }: Tools, host: Host): Promise<void> {
  for (const outcome of ['done', 'refused'])
    assert.ok(
      done.some((line) => line.endsWith(`: ${outcome}`)),
      done.join('\n'),
    )
  const left = await fleet.records('tool:list', node)
  // What another one needs goes last.
  for (const tool of left.toSorted((one, other) => rankOf(one) - rankOf(other)))
    await fleet.record('tool:remove', String(tool['id']), '--yes')
  assert.equal(await host.run(['dpkg', '--audit']), '')
  assert.deepEqual(await issuesOf({ fleet, node }), [])
}

async function issuesOf({ fleet, node }: Tools): Promise<readonly string[]> {
  const report = doctorReport.parse(await fleet.record('doctor', '--node', node))
  return report.nodes.flatMap(({ families }) =>
    families.flatMap(({ issues }) => issues.map(({ code, resource_name }) => `${code} ${resource_name}`)),
  )
}

const parts = Math.ceil(OPERATIONS / PART)
for (let part = 1; part <= parts; part += 1)
  test(
    `no sequence of ${OPERATIONS} random operations on Tools removes a package that was not asked for, nor breaks what the Node lives from: part ${part} of ${parts}`,
    onHosts,
    async (context) => {
      const fleet = started()
      const host = fleet.node('web')
      if (done.length === 0) await host.run(['sh', '-c', REPOSITORY])
      const nodes = await fleet.records('node:list')
      const tools = { fleet, node: String(nodes.find((one) => one['name'] === host.name)?.['id']) }
      context.diagnostic(`seed ${testSeed()}`)
      await playPart(tools, host)
      await requireAlive(host)
      if (done.length === OPERATIONS) await requireClean(tools, host)
    },
  )
