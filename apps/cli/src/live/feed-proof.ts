import type { Clock } from '@fleet/kernel'
import type { GatewayLink } from './gateway-link.ts'

const PROOF_MILLISECONDS = 10_000

export interface ProofDeps {
  readonly clock: Clock
  /** Ends the proof without an outcome. */
  readonly signal: AbortSignal
  readonly newRequestId: () => string
}

/** One proof that a connection gets what the gateway publishes. Only as long as it lasts are requests remembered. */
export class FeedProof {
  #heard: Set<string> | undefined = new Set()
  #wake: (() => void) | undefined

  /** Requests of which it knows that the feed has published them. */
  get remembered(): number {
    return this.#heard?.size ?? 0
  }

  /** The feed published the request. */
  hear(requestId: string): void {
    this.#heard?.add(requestId)
    this.#wake?.()
  }

  /**
   * Sends the gateway a request, which it publishes on the feed with the next number: this reveals any event lost before. Answers
   * whether it was not published in time; false when the gateway does not answer. Never rejects.
   */
  async isSilent(
    link: Pick<GatewayLink, 'ask'>,
    { clock, signal, newRequestId }: ProofDeps,
  ): Promise<boolean> {
    const requestId = newRequestId()
    try {
      await link.ask('realtime:show', {}, { requestId, signal, timeoutSeconds: PROOF_MILLISECONDS / 1000 })
      using timer = clock.timer(PROOF_MILLISECONDS)
      const silent = timer.over.then(() => true)
      return await Promise.race([this.#published(requestId, signal), silent])
    } catch {
      // Without the gateway there is nothing to publish; the connection reports its own end.
      return false
    } finally {
      this.#heard = undefined
      this.#wake = undefined
    }
  }

  /** Resolves with false once the feed has published it, or at the end of the proof. */
  #published(requestId: string, signal: AbortSignal): Promise<false> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(false)
      signal.addEventListener('abort', () => resolve(false), { once: true })
      const look = (): void => {
        if (this.#heard?.has(requestId)) resolve(false)
      }
      this.#wake = look
      look()
    })
  }
}
