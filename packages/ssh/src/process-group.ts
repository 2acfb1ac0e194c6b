const MARK = 'fleet-group:'
const MARKED = /(?:^|\n)fleet-group:([1-9]\d{0,9})\n/

/**
 * The line with its own process group announced first on standard output. sshd gives every exec request a session of
 * its own, so the shell's id is that of the group with all its descendants; knowing it costs no round trip. A login shell
 * `fish` has another name for it, and refuses a line in which the usual one is not quoted.
 */
export const announced = (line: string): string =>
  `test -n "$fish_pid" && echo ${MARK}$fish_pid || eval 'echo ${MARK}$$'\n${line}`

/** Finds the announcement in standard output and takes it out, along with what a login script printed before it. */
export class Announcement {
  /** Resolves with the group, or with undefined when the output ended without it. */
  readonly group: Promise<number | undefined>
  readonly #found: (group: number | undefined) => void
  #held: Buffer | undefined = Buffer.alloc(0)

  constructor() {
    const { promise, resolve } = Promise.withResolvers<number | undefined>()
    this.group = promise
    this.#found = resolve
  }

  /** The part of the chunk that is the command's own output. */
  strip(chunk: Buffer): Buffer {
    if (!this.#held) return chunk
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    // Latin-1 keeps one character per byte, so that the index below counts bytes.
    const match = MARKED.exec(this.#held.toString('latin1', 0, MAX_NOISE_BYTES))
    if (!match && this.#held.length < MAX_NOISE_BYTES) return Buffer.alloc(0)
    const rest = match ? this.#held.subarray(match.index + match[0].length) : this.#held
    this.#held = undefined
    this.#found(match ? Number(match[1]) : undefined)
    return rest
  }

  /** What is still held when the output ends: all of it when nothing was announced. */
  rest(): Buffer {
    const held = this.#held ?? Buffer.alloc(0)
    this.#held = undefined
    this.#found(undefined)
    return held
  }
}

const MAX_NOISE_BYTES = 64 * 1024
