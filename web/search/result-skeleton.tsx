/** Where results will stand; that they are on their way is said beside it. */
export function ResultSkeleton() {
  return (
    <div class="result-skeleton" aria-hidden="true">
      {[0, 1, 2].map((index) => (
        <div key={index} class="loading">
          <span class="loading-line" />
          <span class="loading-line" />
          <span class="loading-line" />
          <span class="loading-line" />
        </div>
      ))}
    </div>
  )
}
