// The slowest of twelve reads at once, and of as many again, whose Activities the feed publishes within each request. Beside the
// same reads of a gateway that has no WebSocket server.
import { startTestGateway } from '../tests/api/harness.ts'
import { burst } from '../tests/live/burst.ts'
import { startLiveWorld } from '../tests/live/world.ts'
import { type Measure, measure, median } from './measure.ts'

const ROUNDS = 15

export async function* run(): AsyncGenerator<Measure> {
  await using world = await startLiveWorld()
  await using silent = await startTestGateway()
  using client = await world.client()
  await client.join('private-fleet')
  const slowest: number[] = []
  const beside: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [ours, theirs] = [await burst(world.fleet), await burst(silent)]
    if (round === 0) continue
    slowest.push(Math.max(...ours))
    beside.push(Math.max(...theirs))
  }
  yield measure('feed-burst-slowest', 'ms', median(slowest), 'the same reads without a feed', median(beside))
}
