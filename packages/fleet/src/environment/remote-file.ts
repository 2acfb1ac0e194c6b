import { fail } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import { asUser, type Command, MalformedOutput } from '@fleet/shell'
import { type CommandResult, SshFailure } from '@fleet/ssh'
import type { Call } from '#/call.ts'
import {
  type Inspection,
  type Reason,
  REASONS,
  readInspection,
  readWritten,
} from '#/environment/commands/answers.ts'
import { inspectFile, readFile } from '#/environment/commands/inspect-file.ts'
import { type FileWrite, writeFile } from '#/environment/commands/write-file.ts'
import { ENVIRONMENT_LIMITS } from '#/environment/format/index.ts'
import { identityOf, type Target } from '#/environment/target.ts'
import type { NodeShell } from '#/nodes/api.ts'

export type FoundFile = Exclude<Inspection, { readonly kind: 'refused' }>

// A directory on a hanging network mount must not hold the Instance for the rest of the request.
const TIMEOUT_SECONDS = 60
const ANSWER_BYTES = 4096

/** The `.env` file of one Instance on its Node. Every method is one round trip. */
export class RemoteFile {
  readonly #shell: NodeShell
  readonly #call: Call
  readonly #target: Target

  constructor(shell: NodeShell, call: Call, target: Target) {
    this.#shell = shell
    this.#call = call
    this.#target = target
  }

  /** For import. Throws `env.source_unsafe`, `env.import_source_missing`, `env.configuration_invalid` for its size, and what NodeShell throws. */
  async read(): Promise<Buffer> {
    const found = await this.#inspect(readFile(this.#target.place), { too_large: oversized })
    if (found.kind === 'missing') throw fail('env.import_source_missing')
    return found.content
  }

  /** For synchronization, with everything that must hold before decryption. Throws `env.source_unsafe` and `env.write_failed`. */
  inspect(bytes: number): Promise<FoundFile> {
    return this.#inspect(inspectFile(this.#target.place, bytes))
  }

  /** Throws `env.write_failed` with the old file as it was, and `env.sync_unconfirmed` when nobody knows. */
  async write(write: Omit<FileWrite, 'place'>): Promise<void> {
    const command = writeFile({ place: this.#target.place, ...write })
    const written = await this.#run(command)
      .then(readWritten)
      .catch((error: unknown) => {
        throw isUnsent(error) ? error : fail('env.sync_unconfirmed', { details: this.#where, cause: error })
      })
    if (written.kind === 'refused') throw this.#refusal(written.reason)
  }

  async #inspect(command: Command, own: Partial<Record<Reason, () => CodedError>> = {}): Promise<FoundFile> {
    const result = await this.#run(command)
    const found = this.#decoded(result)
    if (found.kind === 'refused') throw own[found.reason]?.() ?? this.#refusal(found.reason)
    return found
  }

  #decoded(result: CommandResult): Inspection {
    try {
      return readInspection(result)
    } catch (error) {
      if (!(error instanceof MalformedOutput)) throw error
      throw fail(this.#isForeign ? 'node.capability_missing' : 'node.command_failed', {
        ...(this.#isForeign
          ? { message: 'The Node does not let the gateway act as the production user of the Instance.' }
          : {}),
        details: this.#where,
        cause: error,
      })
    }
  }

  #run(command: Command): Promise<CommandResult> {
    const { instance, place } = this.#target
    return this.#shell.run(
      this.#call,
      instance.node,
      this.#isForeign ? asUser(place.user, command) : command,
      {
        timeoutSeconds: TIMEOUT_SECONDS,
        maxOutputBytes: ENVIRONMENT_LIMITS.fileBytes + ANSWER_BYTES,
      },
    )
  }

  get #isForeign(): boolean {
    return this.#target.place.user !== this.#target.instance.node.user
  }

  get #where(): { readonly node: { readonly id: number; readonly name: string } } {
    return { node: identityOf(this.#target.instance.node) }
  }

  #refusal(reason: Reason): CodedError {
    const [code, message] = REASONS[reason]
    return fail(code, { message, details: { ...this.#where, reason } })
  }
}

const oversized = (): CodedError => fail('env.configuration_invalid', { details: { rule: 'file_size' } })

// Thrown without an SshFailure, these stopped the command on the gateway.
const UNSENT_CODES: ReadonlySet<string> = new Set([
  'node.unreachable',
  'node.ssh_host_key_missing',
  'command.deadline_exceeded',
])

/** True when the Node can't have begun the command, so that nothing is in doubt. */
const isUnsent = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (error.cause instanceof SshFailure) return !error.cause.sent
  return 'code' in error && typeof error.code === 'string' && UNSENT_CODES.has(error.code)
}
