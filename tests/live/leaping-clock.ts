import { FakeClock } from '@fleet/testing'

const STEP_MILLISECONDS = 250
const PUMP_MILLISECONDS = 5

/** A clock that runs with real time and can leap, in steps between which real sockets have a moment. */
export class LeapingClock extends FakeClock implements Disposable {
  #last = performance.now()
  readonly #pump = setInterval(() => this.#run(), PUMP_MILLISECONDS)

  constructor() {
    super(new Date().toISOString())
  }

  /** `each` is done once a second of the time that passes. */
  async leap(seconds: number, each: () => void = () => undefined): Promise<void> {
    for (let passed = 0; passed < seconds * 1000; passed += STEP_MILLISECONDS) {
      if (passed % 1000 === 0) each()
      this.advance(Math.min(STEP_MILLISECONDS, seconds * 1000 - passed))
      await new Promise((resolve) => setTimeout(resolve, PUMP_MILLISECONDS))
    }
  }

  #run(): void {
    const now = performance.now()
    this.advance(now - this.#last)
    this.#last = now
  }

  [Symbol.dispose](): void {
    clearInterval(this.#pump)
  }
}
