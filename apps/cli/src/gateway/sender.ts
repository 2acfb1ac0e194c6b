import { systemClock } from '@fleet/kernel/clock'
import { makeSender, type Sender } from '@fleet/sdk/core'
import type { CliTree } from '@fleet/surfaces'
import { requestIds } from '#/ids.ts'
import { type TransportOptions, httpsTransport } from './transport.ts'

export interface SenderWish extends Omit<TransportOptions, 'clock'> {
  readonly baseUrl: string
  readonly timeoutSeconds?: number | undefined
}

/** A sender of this client over HTTPS. */
export const commandSender = (wish: SenderWish, errors: CliTree['errors']): Sender =>
  makeSender({
    baseUrl: wish.baseUrl,
    transport: httpsTransport({ ...wish, clock: systemClock }),
    clock: systemClock,
    ids: requestIds,
    retryOf: (code) => (Object.hasOwn(errors, code) ? errors[code]?.retry : undefined),
    clientName: 'fleet-cli',
    timeoutSeconds: wish.timeoutSeconds,
  })
