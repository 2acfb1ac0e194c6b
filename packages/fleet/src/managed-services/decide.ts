import { Secret } from '@fleet/kernel'
import type {
  FileContent,
  GeneratedSecret,
  ServicePlaces,
  RenderedService,
  ServiceUnit,
} from '#/managed-services/declaration.ts'
import { NO_WRITES, sha256, UNIT_DIRECTORY, type UnitAction, type Writes } from '#/managed-services/plan.ts'
import type { ServiceState } from '#/managed-services/state.ts'

export interface EnsureOptions {
  /** Writes everything again, whatever is there. */
  readonly force: boolean
  /** False leaves the units as they are: they are started later. */
  readonly start: boolean
}

export interface Decision extends Writes {
  /** False: everything is as declared. */
  readonly isNeeded: boolean
  /** SHA-256 by path of secrets that are new. */
  readonly newSecrets: ReadonlyMap<string, string>
}

/** What has to change so that a Node has the service as it was rendered. */
export function decide(
  service: ServicePlaces,
  wanted: RenderedService,
  found: ServiceState,
  { force, start }: EnsureOptions,
): Decision {
  const files = changedFiles(wanted, found, force)
  const links = changedLinks(wanted, found)
  const hasRelease = wanted.release === undefined || found.releases.has(wanted.release.id)
  const isWritten = files.size > 0 || links.size > 0 || !hasRelease || force
  const newSecrets = new Map(
    [...files].flatMap(([path, content]) =>
      isGenerated(wanted.files?.[path]) ? [[path, sha256(content)] as const] : [],
    ),
  )
  const change = { files, links, isWritten, isForced: force, hasNewSecret: newSecrets.size > 0 }
  const isRunning = runs(service, wanted, found)
  return {
    files,
    links,
    release: isWritten ? wanted.release : undefined,
    actions: start ? actionsOf(service, change) : NO_WRITES.actions,
    digest: wanted.digest,
    newSecrets,
    isNeeded: isWritten || !found.hasFolders || (start && !isRunning),
  }
}

/** Every unit that is to be enabled is, and every one that is started runs as declared. */
export const runs = (
  { units, ready }: ServicePlaces,
  { digest }: RenderedService,
  found: ServiceState,
): boolean =>
  units.every(({ name, isEnabled, onChange }) => {
    const state = found.units.get(name)
    const isStarted = ready.kind === 'reported' || onChange === 'none' || state?.isActive === true
    return isStarted && (!isEnabled || state?.isEnabled === true)
  }) &&
  (ready.kind !== 'reported' || (digest !== undefined && found.running === digest))

function changedFiles(
  { files = {}, units }: RenderedService,
  { digests }: ServiceState,
  force: boolean,
): ReadonlyMap<string, string | Secret> {
  const all: ReadonlyArray<readonly [string, FileContent]> = [
    ...Object.entries(files),
    ...Object.entries(units).map(([name, text]) => [`${UNIT_DIRECTORY}/${name}`, text] as const),
  ]
  return new Map(
    all.flatMap(([path, content]) => {
      const digest = digests.get(path)
      if (!isGenerated(content)) return force || digest !== sha256(content) ? [[path, content] as const] : []
      const isKnown = digest !== undefined && digest === content.knownSha256
      return isKnown ? [] : [[path, content.create()] as const]
    }),
  )
}

const changedLinks = ({ links = {} }: RenderedService, found: ServiceState): ReadonlyMap<string, string> =>
  new Map(Object.entries(links).filter(([path, target]) => found.links.get(path) !== target))

const isGenerated = (content: FileContent | undefined): content is GeneratedSecret =>
  typeof content === 'object' && !(content instanceof Secret) && 'create' in content

interface Change {
  readonly files: Writes['files']
  readonly links: Writes['links']
  readonly isWritten: boolean
  readonly isForced: boolean
  readonly hasNewSecret: boolean
}

const actionsOf = ({ units, ready }: ServicePlaces, change: Change): Writes['actions'] =>
  new Map(units.map((unit) => [unit.name, actionOf(unit, ready.kind, change)]))

/** A process that says with what it began is restarted when that is not what is there now; its secrets it does not name. */
function actionOf(unit: ServiceUnit, ready: string, change: Change): UnitAction {
  const { name, onChange } = unit
  if (onChange === 'none') return 'none'
  if (ready === 'reported') return change.hasNewSecret ? 'restart' : 'settle'
  if (!change.isWritten || !concerns(unit, change)) return 'start'
  if (onChange !== 'own-file') return onChange
  return change.files.has(`${UNIT_DIRECTORY}/${name}`) ? 'restart' : 'start'
}

const concerns = ({ reads }: ServiceUnit, { files, links, isForced }: Change): boolean =>
  isForced || reads === undefined || reads.some((path) => files.has(path) || links.has(path))
