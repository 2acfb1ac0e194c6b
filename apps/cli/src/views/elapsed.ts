/** Lines of one moment may be written a little out of order. */
const SET_BACK_MILLISECONDS = 1000

/** Milliseconds since the first of the times, which it is given in their order. A clock that was set back in between takes none away. */
export function elapsedTimes(): (at: string) => number {
  let began: number | undefined
  let before: number | undefined
  let elapsed = 0
  return (at) => {
    const now = Date.parse(at)
    began ??= now
    const back = (before ?? now) - now
    if (back >= SET_BACK_MILLISECONDS) began -= back
    before = now
    elapsed = Math.max(elapsed, now - began)
    return elapsed
  }
}
