import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RoleName } from '@fleet/contract'
import { type Addresses, claimAddresses, claimNumber } from './addresses.ts'
import { machineSource, ofSuite, type Suite } from './apt-sources.ts'
import { ensureBaseTree, machineArchitecture, type Tree } from './base-tree.ts'
import { Host, type Site } from './host.ts'
import { findRecord, recordedNames, writeRecord } from './host-record.ts'
import { isKept, keptPath } from './kept-host.ts'
import { ensureLabKey, type LabKey } from './keys.ts'
import { ensureLayer } from './layer.ts'
import { labMissing } from './machine.ts'
import { ensureBridge } from './network.ts'
import { noteOwner } from './orphans.ts'
import { packagesFor } from './packages.ts'
import { type Place, placeOf, type Purpose } from './place.ts'
import { LabFault } from './program.ts'

/** What a host must have. */
export interface HostRequest {
  /** Letters, digits and hyphens, at most 32. */
  readonly name: string
  /** Brings the packages that these roles need, so that nothing is downloaded later; none is set up. */
  readonly roles?: readonly RoleName[]
  /** More Debian packages. */
  readonly packages?: readonly string[]
  /** In Debian's words (`amd64`); this machine's own, which is the only one it can run. */
  readonly arch?: string
  /** Release of Debian; that of the lab when absent. */
  readonly suite?: Suite
  readonly diskMegabytes?: number
}

export interface LabOptions {
  /** The checkout that the lab belongs to. */
  readonly checkout: string
  readonly purpose: Purpose
  /** Release of Debian that hosts have unless they ask for another; that of this machine when absent. */
  readonly suite?: Suite | undefined
  /** Told what is done and takes long. */
  readonly report?: (line: string) => void
}

/** The hosts of one checkout on this machine. */
export interface Lab {
  readonly place: Place
  readonly addresses: Addresses
  readonly key: LabKey
  /** Makes a host and waits until it has booted. Throws LabFault, and leaves nothing of it behind then. */
  host(request: HostRequest): Promise<Host>
  /**
   * A host like the one that `prepare` once made of an empty one. Its disk is kept, and each later host of this lab that
   * is asked for by the same key, and has the same address, begins with a copy in some seconds.
   */
  prepared(request: HostRequest, key: string, prepare: (host: Host) => Promise<unknown>): Promise<Host>
  /** A host that exists, running or not. */
  find(name: string): Host | undefined
  hosts(): readonly Host[]
}

const DISK_MEGABYTES = 8192
const NAME = /^[a-z][a-z0-9-]{0,31}$/

/** Prepares base tree, switch and key. Throws LabFault with what to do when this machine cannot have a lab. */
export async function openLab(options: LabOptions): Promise<Lab> {
  const { checkout, purpose, report = () => undefined } = options
  const missing = labMissing()
  if (missing !== undefined) throw new LabFault(missing)
  const place = placeOf(checkout, purpose)
  const source = machineSource()
  const baseOf = (suite: string): Promise<Tree> =>
    reported(report, `base tree of Debian ${suite}`, () => ensureBaseTree(ofSuite(source, suite)))
  const suite = options.suite ?? source.suite
  await baseOf(suite)
  mkdirSync(join(place.folder, 'hosts'), { recursive: true, mode: 0o700 })
  noteOwner(place)
  const addresses = claimAddresses(place)
  const site: Site = { place, addresses, key: await ensureLabKey(place) }
  await ensureBridge(place, addresses)
  const begun = async (request: HostRequest, begin: Begin): Promise<Host> => {
    await requirePossible(request)
    const release = request.suite ?? suite
    const packages = packagesFor(release, request.roles ?? [], request.packages ?? [])
    const base = await baseOf(release)
    const trees = [...(await layers(base.path, packages, report)), base.path]
    return make(site, request, { packages, trees, begin })
  }
  const find = (name: string): Host | undefined => {
    const record = findRecord(place, name)
    return record && new Host(site, record)
  }
  return {
    ...site,
    find,
    hosts: () => recordedNames(place).flatMap((name) => find(name) ?? []),
    host: (request) => begun(request, (host, megabytes) => host.install(megabytes)),
    prepared: (request, key, prepare) =>
      begun(request, async (host, megabytes) => {
        const path = keptPath({ key, address: host.address, trees: host.record.trees })
        if (isKept(path)) return host.installFrom(path)
        await host.install(megabytes)
        await prepare(host)
        return host.keep(path)
      }),
  }
}

async function requirePossible({ name, arch }: HostRequest): Promise<void> {
  if (!NAME.test(name))
    throw new LabFault(`${name} is no name for a host: letters, digits and hyphens, at most 32`)
  const own = await machineArchitecture()
  if (arch !== undefined && arch !== own)
    throw new LabFault(`this machine runs ${own} and cannot boot a host of ${arch}`)
}

async function layers(
  base: string,
  packages: readonly string[],
  report: (line: string) => void,
): Promise<readonly string[]> {
  if (packages.length === 0) return []
  const layer = await reported(report, `packages ${packages.join(' ')}`, () => ensureLayer(base, packages))
  return [layer.path]
}

/** The first boot of a host that has a record. */
type Begin = (host: Host, diskMegabytes: number) => Promise<void>

interface Making {
  readonly packages: readonly string[]
  readonly trees: readonly string[]
  readonly begin: Begin
}

async function make(site: Site, request: HostRequest, { packages, trees, begin }: Making): Promise<Host> {
  const { name, roles = [], diskMegabytes = DISK_MEGABYTES } = request
  if (recordedNames(site.place).includes(name)) throw new LabFault(`there is a host ${name} already`)
  const record = {
    name,
    number: claimNumber(site.place, name),
    roles,
    packages,
    trees,
    clockOffsetSeconds: 0,
  }
  writeRecord(site.place, record)
  const host = new Host(site, record)
  try {
    await begin(host, diskMegabytes)
    return host
  } catch (error) {
    await host.remove()
    throw error
  }
}

async function reported(
  report: (line: string) => void,
  what: string,
  work: () => Promise<Tree>,
): Promise<Tree> {
  const start = performance.now()
  const tree = await work()
  if (!tree.cached) report(`made the ${what} in ${((performance.now() - start) / 1000).toFixed(1)} s`)
  return tree
}
