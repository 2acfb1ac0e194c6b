import { textFile } from '@fleet/shell'
import {
  type CheckoutPlace,
  checkoutScript,
  directoryWords,
  type Outcome,
  outcome,
} from './checkout-script.ts'

const words = [
  'set',
  'changed',
  'locked',
  'failed',
  'storage-full',
  'storage-read-only',
  'git-missing',
  ...directoryWords,
] as const
export type OriginWord = (typeof words)[number]

export interface OriginChange extends CheckoutPlace {
  readonly from: string
  readonly to: string
}

/** Leads `origin` of a checkout elsewhere; its commits and branches stay (PRJ-047). May be repeated, and asked the other way round. */
export const setOrigin = checkoutScript<OriginChange, Outcome<OriginWord>>(
  textFile('set-origin.sh', import.meta.url),
  [],
  { args: ({ from, to }) => [from, to], read: outcome(words) },
)
