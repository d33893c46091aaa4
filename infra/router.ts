import { encodePathAgain } from "./routes.ts"
import { stage } from "./stage.ts"

/** Errors that CloudFront keeps for ten seconds, unless told not to: a document that has just come would stay a 404. */
const CACHED_ERRORS = [403, 404, 405, 410, 414, 416, 500, 501, 502, 503, 504]

/** One domain in front of everything (CloudFront). Routes are added where what they lead to is made. */
export const router = new sst.aws.Router("Router", {
  ...(stage.domain && { domain: stage.domain }),
  edge: { viewerRequest: { injection: encodePathAgain } },
  transform: {
    cdn: (args) => {
      args.customErrorResponses = CACHED_ERRORS.map((errorCode) => ({ errorCode, errorCachingMinTtl: 0 }))
    },
    // A cached answer belongs to the key that got it: without these two in the cache's own key, the picture of one
    // tenant's page could be served to another.
    cachePolicy: (args) => {
      args.parametersInCacheKeyAndForwardedToOrigin = {
        cookiesConfig: { cookieBehavior: "none" },
        headersConfig: {
          headerBehavior: "whitelist",
          headers: { items: ["authorization", "x-api-key", "x-forwarded-host"] },
        },
        queryStringsConfig: { queryStringBehavior: "all" },
        enableAcceptEncodingBrotli: true,
        enableAcceptEncodingGzip: true,
      }
    },
  },
})
