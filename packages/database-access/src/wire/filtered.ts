import { Duplex } from 'node:stream'

/** Takes bytes of a server and passes on what the client shall see of them. */
export interface Filter {
  push(chunk: Buffer, emit: (part: Buffer) => void): void
}

/**
 * A stream for a driver: what it writes goes out as it is, what the server sends passes a filter. It has the members of a
 * socket that `pg` and `mysql2` call.
 */
export class FilteredStream extends Duplex {
  readonly #filter: Filter
  #inner: Duplex
  #heard: (() => void) | undefined
  constructor(inner: Duplex, filter: Filter) {
    super({ allowHalfOpen: false })
    this.#filter = filter
    this.#inner = inner
    this.#follow(inner)
  }

  /** Resolves with the next bytes of the server. */
  heard(): Promise<void> {
    return new Promise((resolve) => (this.#heard = resolve))
  }

  /** From now on everything goes through what `wrap` makes of the stream below. */
  async rise(wrap: (inner: Duplex) => Promise<Duplex>): Promise<void> {
    this.#inner.removeAllListeners('data').removeAllListeners('end')
    this.#inner = await wrap(this.#inner)
    this.#follow(this.#inner)
  }

  #follow(inner: Duplex): void {
    inner.on('data', (chunk: Buffer) => {
      this.#heard?.()
      try {
        let wantsMore = true
        this.#filter.push(chunk, (part) => (wantsMore = this.push(part)))
        if (!wantsMore) inner.pause()
      } catch (error) {
        this.destroy(error instanceof Error ? error : new Error('unreadable answer'))
      }
    })
    inner.on('end', () => this.push(null))
    inner.on('error', (error) => this.destroy(error))
    inner.on('close', () => this.destroy())
  }

  override _read(): void {
    this.#inner.resume()
  }
  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#inner.write(chunk, encoding, done)
  }
  /** What was written while corked goes out in one piece. */
  override _writev(
    parts: ReadonlyArray<{ readonly chunk: Buffer }>,
    done: (error?: Error | null) => void,
  ): void {
    this.#inner.write(Buffer.concat(parts.map(({ chunk }) => chunk)), done)
  }
  override _final(done: () => void): void {
    this.#inner.end()
    done()
  }
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inner.destroy()
    done(error)
  }

  // The inner stream is connected already; `pg` waits for the event.
  connect(): this {
    queueMicrotask(() => this.emit('connect'))
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  setTimeout(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}
