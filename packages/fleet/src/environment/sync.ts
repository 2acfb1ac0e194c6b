import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import type { FoundFile } from '#/environment/commands/inspect-file.ts'
import { type EnvFile, envFileOf } from '#/environment/env-file.ts'
import {
  byteLength,
  ENVIRONMENT_LIMITS,
  keyNames,
  needsDomain,
  renderFile,
} from '#/environment/format/index.ts'
import type { EnvironmentDeps } from '#/environment/deps.ts'
import type { SourceProfile } from '#/instances/api.ts'
import { confirmWrite, openWrite } from '#/environment/queries.ts'
import { namesDetail, refuseInvalid, refuseNames, undetermined } from '#/environment/refusals.ts'
import {
  droppedNames,
  mostBytes,
  readerOf,
  replacedKeys,
  resolvedValues,
  type Values,
} from '#/environment/rules.ts'
import { openValues } from '#/environment/sealed-values.ts'
import { type Snapshot, takeSnapshot, type Transition } from '#/environment/snapshot.ts'
import { type OpenTestingFile, openTestingFile } from '#/environment/testing-file.ts'
import {
  findTarget,
  holdingTarget,
  requireActiveNode,
  requireProfile,
  rereadTarget,
  type Target,
  targetOf,
} from '#/environment/target.ts'

/** Replaces the Instance's `.env` with the stored configuration. One round trip for an unchanged file, two for a changed one. */
export const makeSync =
  (deps: EnvironmentDeps): Handler<'env:sync'> =>
  async (request) => {
    const { call } = request
    const target = await findTarget(deps.instances, request)
    requireActiveNode(target)
    const { id } = target.instance
    const synced = await holdingTarget(deps.instances, call, target.instance, (held) =>
      new Synchronization(deps, call, held, {}).run(),
    )
    call.note.property('changed', synced.changed)
    call.note.property('replaced_keys', synced.replaced_keys)
    call.note.property('readers', readerOf(requireProfile(target.instance)))
    const { replaced_keys, ...result } = synced
    const replaced = replaced_keys.length > 0 ? { replaced_keys: [...replaced_keys] } : {}
    return { data: { instance_id: id, operation: 'sync' as const, ...result, ...replaced } }
  }

/** For who holds the operation lock of the Instance, under the domain that it is about to get. Throws what `env:sync` throws. */
export const synchronizeHeld = async (
  deps: EnvironmentDeps,
  call: Call,
  id: number,
  how: Transition = {},
): Promise<Synced> => {
  const target = await rereadTarget(deps.instances, id, { isPlaced: how.domain !== undefined })
  const synced = await new Synchronization(deps, call, target, how).run()
  // Nobody who changes a value by hand expects a deployment or a change of a Route to replace it.
  if (synced.replaced_keys.length > 0) call.note.property('replaced_keys', synced.replaced_keys)
  return synced
}

/** The same under that lock, which it takes. */
export const synchronize = (deps: EnvironmentDeps, call: Call, id: number): Promise<Synced> =>
  deps.instances.withOperationLock(call, id, 'env.operation_busy', () => synchronizeHeld(deps, call, id))

/** Throws what the same would throw before it writes, were the profile that of the source. */
export async function requireSynchronizable(
  deps: EnvironmentDeps,
  call: Call,
  id: number,
  profile?: SourceProfile,
): Promise<void> {
  const target = await rereadTarget(deps.instances, id)
  const wanted = profile ? targetOf({ ...target.instance, profile }) : target
  await new Synchronization(deps, call, wanted, {}).require()
}

interface Prepared {
  readonly snapshot: Snapshot
  readonly found: FoundFile
  readonly testing: OpenTestingFile | undefined
  readonly values: Values
  /** Keys whose value has a placeholder. */
  readonly followed: ReadonlySet<string>
  readonly text: string
}

const isWritten = (found: FoundFile, text: string): boolean =>
  found.kind === 'file' && found.isPrivate && found.content.equals(Buffer.from(text))

export interface Synced {
  readonly changed: boolean
  readonly key_count: number
  readonly replaced_keys: readonly string[]
}

/** One synchronization under the Instance's lock. */
class Synchronization {
  readonly #deps: EnvironmentDeps
  readonly #target: Target
  readonly #file: EnvFile
  readonly #call: Call
  readonly #how: Transition

  constructor(deps: EnvironmentDeps, call: Call, target: Target, how: Transition) {
    this.#how = how
    this.#deps = deps
    this.#call = call
    this.#target = target
    this.#file = envFileOf(deps, call, target)
  }

  async run(): Promise<Synced> {
    const prepared = await this.#prepare()
    const { snapshot, found, testing, values, text } = prepared
    const names = [...values.keys()]
    const isSame = isWritten(found, text)
    if (!isSame) await this.#replace(found, text, snapshot, names)
    if (!isSame || !snapshot.isConfirmed(names)) await this.#confirm(names)
    const isTestingChanged = (await testing?.write()) ?? false
    const replaced_keys = isSame ? [] : replacedIn(prepared)
    return { changed: !isSame || isTestingChanged, key_count: names.length, replaced_keys }
  }

  /** Throws what `run` would throw before it writes. */
  async require(): Promise<void> {
    const { snapshot, found, values, text } = await this.#prepare()
    if (!isWritten(found, text)) this.#refuseDrop(found, snapshot, [...values.keys()])
  }

  async #prepare(): Promise<Prepared> {
    requireActiveNode(this.#target)
    requireProfile(this.#target.instance)
    const snapshot = await takeSnapshot(this.#deps, this.#target.instance, this.#how)
    // Everything that can be wrong on the Node is known before the first value is decrypted (ENV-043).
    const found = await this.#file.inspect(mostBytes(snapshot.values))
    const testing = await openTestingFile(this.#deps, this.#call, this.#target, snapshot)
    const { values, followed } = this.#resolved(snapshot)
    const text = this.#rendered(values)
    testing?.plan(values)
    return { snapshot, found, testing, text, values, followed }
  }

  #resolved({ values, route }: Snapshot): Pick<Prepared, 'values' | 'followed'> {
    const { store } = this.#deps
    const opened = openValues(store.cipher, this.#target.instance.id, values)
    const asking = [...opened].flatMap(([name, value]) => (needsDomain(value) ? [name] : []))
    if (asking.length > 0 && !route?.healthy)
      throw fail('env.owner_unavailable', {
        message:
          'A stored value contains `{{instance.domain}}`, and the Instance has no active Route of its own. `fleet route:list` shows its Routes.',
        details: { reason: 'route_required', ...namesDetail(asking) },
      })
    const { resolved, problem } = resolvedValues(opened, {
      domain: route?.domain,
      environment: this.#target.environment,
    })
    if (problem) throw fail('env.reference_unavailable', { details: { ...problem } })
    const followed = [...opened].flatMap(([name, value]) => (value === resolved.get(name) ? [] : [name]))
    return { values: resolved, followed: new Set(followed) }
  }

  #rendered(values: Values): string {
    const text = renderFile(values, readerOf(requireProfile(this.#target.instance)))
    // Placeholders may have grown since the values were stored.
    if (byteLength(text) > ENVIRONMENT_LIMITS.fileBytes) refuseInvalid({ rule: 'file_size' })
    return text
  }

  async #replace(
    found: FoundFile,
    text: string,
    snapshot: Snapshot,
    names: readonly string[],
  ): Promise<void> {
    this.#refuseDrop(found, snapshot, names)
    const { store, ids } = this.#deps
    // Noted before the write is sent: whatever becomes of the answer, these names are ours by then.
    const pending = [...new Set([...snapshot.file.pending, ...names])]
    await store.transaction((db) => openWrite(db, this.#target.instance.id, pending))
    const before = found.kind === 'file' ? found.content : undefined
    await this.#file.write({ attempt: ids.hex(8), before, content: text })
  }

  #refuseDrop(found: FoundFile, snapshot: Snapshot, names: readonly string[]): void {
    if (found.kind === 'file' && !this.#how.isRouted) refuseDrop(this.#target, found.content, snapshot, names)
  }

  async #confirm(names: readonly string[]): Promise<void> {
    const { store, clock } = this.#deps
    await store.transaction((db) =>
      confirmWrite(db, this.#target.instance.id, names, clock.now().toISOString()),
    )
  }
}

/** A value with a placeholder changes with what that stands for. */
const replacedIn = ({ found, values, followed, snapshot }: Prepared): readonly string[] =>
  found.kind === 'file'
    ? replacedKeys(found.content, values, (key) => followed.has(key) || snapshot.storedSince.has(key))
    : []

/** A key that only the file has is never lost silently; nor is what may hide in a file that cannot be read (ENV-047, ENV-048). */
function refuseDrop(target: Target, content: Buffer, { file }: Snapshot, names: readonly string[]): void {
  const found = keyNames(content)
  refuseNames('env.sync_would_drop_keys', droppedNames(found.names, names, file.known, file.pending))
  if (found.problem) throw undetermined(target, found.problem)
}
