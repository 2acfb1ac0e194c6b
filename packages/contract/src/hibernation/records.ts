import * as z from 'zod'

/** What a wake has come to: the page shows it, and its status follows from it (HIB-013 to HIB-015). */
export const wakeStates = ['awake', 'pending', 'failed'] as const
export type WakeState = (typeof wakeStates)[number]

/** The page that a visitor of a sleeping Instance sees; `awake` is an answer without a body. */
export const wakePage = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('awake') }),
  z.strictObject({ state: z.literal('pending'), instance: z.string() }),
  z.strictObject({ state: z.literal('failed'), instance: z.string(), code: z.string(), message: z.string() }),
])
export type WakePage = z.output<typeof wakePage>
