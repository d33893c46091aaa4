import { rewriteRequest } from "./routes.ts"
import { stage } from "./stage.ts"

/** Errors that CloudFront keeps for ten seconds, unless told not to: a document that has just come would stay a 404. */
const CACHED_ERRORS = [403, 404, 405, 410, 414, 416, 500, 501, 502, 503, 504]

/** Where presigned URLs lead to, to which the page puts large files. */
const buckets = $interpolate`https://*.s3.${aws.getRegionOutput().region}.amazonaws.com`

/** The page may load what it is made of and ask its own API, nothing else; answers that say it themselves keep their own. */
const headers = new aws.cloudfront.ResponseHeadersPolicy("Headers", {
  // As functions/http/protective-headers.ts has it, for the files of the reading room.
  customHeadersConfig: {
    items: [{ header: "Cross-Origin-Resource-Policy", value: "same-origin", override: false }],
  },
  securityHeadersConfig: {
    contentSecurityPolicy: {
      override: false,
      contentSecurityPolicy: $interpolate`default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self' ${buckets}`,
    },
    contentTypeOptions: { override: true },
    frameOptions: { override: true, frameOption: "DENY" },
    referrerPolicy: { override: false, referrerPolicy: "no-referrer" },
    strictTransportSecurity: { override: true, accessControlMaxAgeSec: 31_536_000 },
  },
})

/** One domain in front of everything (CloudFront). Routes are added where what they lead to is made. */
export const router = new sst.aws.Router("Router", {
  ...(stage.domain && { domain: stage.domain }),
  edge: { viewerRequest: { injection: rewriteRequest } },
  transform: {
    cdn: (args) => {
      args.defaultCacheBehavior = $resolve([args.defaultCacheBehavior]).apply(([behavior]) => ({
        ...behavior,
        responseHeadersPolicyId: headers.id,
      }))
      args.customErrorResponses = CACHED_ERRORS.map((errorCode) => ({ errorCode, errorCachingMinTtl: 0 }))
    },
    // A cached answer belongs to the key that got it: without these two in the cache's own key, the picture of one
    // tenant's page could be served to another.
    cachePolicy: (args) => {
      args.parametersInCacheKeyAndForwardedToOrigin = {
        cookiesConfig: { cookieBehavior: "none" },
        headersConfig: {
          headerBehavior: "whitelist",
          headers: { items: ["authorization", "x-api-key", "x-forwarded-host", "origin"] },
        },
        queryStringsConfig: { queryStringBehavior: "all" },
        enableAcceptEncodingBrotli: true,
        enableAcceptEncodingGzip: true,
      }
    },
  },
})
