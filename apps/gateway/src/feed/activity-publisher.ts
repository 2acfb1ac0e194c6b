import type { ActivityPublisher } from '@fleet/fleet'
import type { Logger } from 'pino'
import type { Feed } from './feed.ts'

/** Publishes Activities on the feed; an error there is only a warning (LIM-003). */
export const activityPublisher = (feed: Feed, log: Logger): ActivityPublisher => ({
  isListening: () => feed.isServed(),
  report: async (type, notice) => {
    try {
      await feed.publish([{ type, id: notice.id, data: notice }])
    } catch (error) {
      log.warn({ err: error, type }, 'the feed did not accept an Activity')
    }
  },
})
