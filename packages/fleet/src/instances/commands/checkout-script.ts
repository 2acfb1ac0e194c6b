import { type Command, script, type Word } from '@fleet/shell'
import { posix } from 'node:path'
import { PREAMBLE } from './preamble.ts'

/** Which directory of a Node a script works on, and what proves that this record's attempt made it. */
export interface CheckoutPlace {
  readonly checkoutPath: string
  readonly preparationId: string
}

/** Seconds that a script waits for one of an earlier request that outlived its connection. */
const WORKER_WAIT_SECONDS = 10

/** A script on one checkout. The title stands in logs; the arguments follow those that name the place. */
export const checkoutScript = (
  title: string,
  body: string,
  place: CheckoutPlace,
  ...args: readonly Word[]
): Command => script(`# ${title}\n${PREAMBLE}${body}`, ...placeWords(place), ...args)

const placeWords = ({ checkoutPath, preparationId }: CheckoutPlace): readonly Word[] => {
  const folder = posix.dirname(checkoutPath)
  return [
    posix.dirname(folder),
    posix.basename(folder),
    posix.basename(checkoutPath),
    preparationId,
    WORKER_WAIT_SECONDS,
  ]
}
