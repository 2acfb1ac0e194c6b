import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { ensureRoot, type Root } from '@fleet/pki'
import type { Store } from '@fleet/store'
import {
  FakeClock,
  type LocalPool,
  localPool,
  localSession,
  openTestStore,
  testDomains,
  testFacts,
} from '@fleet/testing'
import type { ServedPlace } from '#/certificates/api.ts'
import type { Certificates } from '#/certificates/certificates.ts'
import type { NodeSession } from '#/nodes/api.ts'

export interface World {
  readonly certificates: Certificates
  readonly session: NodeSession
  readonly pool: LocalPool
  readonly clock: FakeClock
  readonly store: Store
  readonly root: Root
  readonly caDirectory: string
  /** Who runs the tests, and so stands for every user of the machine. */
  readonly user: string
  /** What a socket serves, by `address:port name`. */
  readonly served: Map<string, string>
  /** Words of systemctl and update-ca-certificates, a line each. */
  ran(): readonly string[]
  /** Lets a program of the machine fail from now on, or work again. */
  breaks(program: string, isBroken?: boolean): void
  at(path: string): string
  read(path: string): string | undefined
}

/** A machine whose root is a folder here, with programs that only note their calls. */
export async function startWorld(context: TestContext): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), 'fleet certificates-'))
  context.after(() => rmSync(home, { recursive: true, force: true }))
  const at = (path: string): string => join(home, path)
  const log = at('log')
  writeFileSync(log, '')
  program(at('bin/systemctl'), `echo "systemctl $*" >>'${log}'`)
  // As Debian's does it: a link for each file, and all of them in one bundle.
  program(
    at('bin/update-ca-certificates'),
    `echo update-ca-certificates >>'${log}'
     certs='${at('etc/ssl/certs')}'
     mkdir -p "$certs" && rm -f "$certs"/*.pem && : >"$certs/ca-certificates.crt"
     for file in '${at('usr/local/share/ca-certificates')}'/*.crt; do
       [ -f "$file" ] || continue
       name=\${file##*/}
       ln -s "$file" "$certs/\${name%.crt}.pem" && cat "$file" >>"$certs/ca-certificates.crt"
     done`,
  )
  const store = await openTestStore()
  context.after(() => store[Symbol.asyncDispose]())
  const clock = new FakeClock()
  const caDirectory = at('ca')
  const root = await ensureRoot({ directory: caDirectory, clock, name: 'Fleet root' })
  const pool = localPool({ home, env: { PATH: `${at('bin')}:/usr/bin:/bin` } })
  const served = new Map<string, string>()
  const certificateAt = async ({ address, port, name }: ServedPlace): Promise<string | undefined> =>
    served.get(`${address}:${port} ${name}`)
  const { certificates, network } = testDomains({
    clock,
    store,
    root: home,
    facts: { ...testFacts, caDirectory },
    servedCertificates: { certificateAt },
  })
  await network.configure({ range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' })
  return {
    certificates,
    store,
    session: localSession(pool),
    pool,
    clock,
    root,
    caDirectory,
    user: userInfo().username,
    served,
    ran: () => readFileSync(log, 'utf8').split('\n').slice(0, -1),
    breaks: (name, isBroken = true) => chmodSync(at(`bin/${name}`), isBroken ? 0o644 : 0o755),
    at,
    read: (path) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined),
  }
}

function program(path: string, source: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${source}\n`, { mode: 0o755 })
}
