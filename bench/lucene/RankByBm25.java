import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.RAMDirectory;
import org.apache.lucene.util.Version;

/**
 * Ranks a collection by Lucene's own BM25. Reads `documents.tsv` (title, text) and `questions.tsv` (text) of a folder, one
 * a line, and prints a line for each question and way: the way, the question's line, and the lines of the best documents.
 */
public final class RankByBm25 {
  private static final int DEPTH = 100;

  /** Lucene's own constants, and those that Anserini publishes its results with. */
  private static final float[][] CONSTANTS = {{1.2f, 0.75f}, {0.9f, 0.4f}};

  public static void main(String[] args) throws IOException {
    Path folder = Paths.get(args[0]);
    Analyzer analyzer = new EnglishAnalyzer();
    List<List<String>> questions = new ArrayList<>();
    for (String line : Files.readAllLines(folder.resolve("questions.tsv"), StandardCharsets.UTF_8)) {
      questions.add(terms(analyzer, line));
    }
    PrintStream out = new PrintStream(System.out, false, "UTF-8");
    for (float[] constants : CONSTANTS) {
      // Norms depend on the similarity only through the length, but a searcher must be given the writer's.
      BM25Similarity similarity = new BM25Similarity(constants[0], constants[1]);
      RAMDirectory directory = new RAMDirectory();
      index(directory, folder.resolve("documents.tsv"), analyzer, similarity);
      try (DirectoryReader reader = DirectoryReader.open(directory)) {
        IndexSearcher searcher = new IndexSearcher(reader);
        searcher.setSimilarity(similarity);
        String suffix = String.format("k1 %s, b %s", constants[0], constants[1]);
        rank(searcher, questions, "one field, " + suffix, new String[] {"both"}, out);
        rank(searcher, questions, "two fields, " + suffix, new String[] {"title", "text"}, out);
      }
    }
    out.flush();
  }

  private static void index(RAMDirectory directory, Path documents, Analyzer analyzer, BM25Similarity similarity)
      throws IOException {
    IndexWriterConfig config = new IndexWriterConfig(Version.LUCENE_4_10_4, analyzer);
    config.setSimilarity(similarity);
    try (IndexWriter writer = new IndexWriter(directory, config);
        BufferedReader lines = Files.newBufferedReader(documents, StandardCharsets.UTF_8)) {
      int number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] parts = line.split("\t", -1);
        Document document = new Document();
        document.add(new StoredField("line", number++));
        document.add(new TextField("title", parts[0], Field.Store.NO));
        document.add(new TextField("text", parts[1], Field.Store.NO));
        document.add(new TextField("both", parts[0] + " " + parts[1], Field.Store.NO));
        writer.addDocument(document);
      }
      // One segment: equal scores then come in the order of the documents.
      writer.forceMerge(1);
    }
  }

  /** Any of the words; one that stands twice in the question counts twice. No factor for how many of them match. */
  private static void rank(
      IndexSearcher searcher, List<List<String>> questions, String way, String[] fields, PrintStream out)
      throws IOException {
    for (int i = 0; i < questions.size(); i++) {
      BooleanQuery.setMaxClauseCount(100_000);
      BooleanQuery query = new BooleanQuery(true);
      for (String term : questions.get(i)) {
        for (String field : fields) {
          query.add(new TermQuery(new Term(field, term)), BooleanClause.Occur.SHOULD);
        }
      }
      StringBuilder line = new StringBuilder(way).append('\t').append(i);
      if (!questions.get(i).isEmpty()) {
        for (ScoreDoc hit : searcher.search(query, DEPTH).scoreDocs) {
          line.append('\t').append(searcher.doc(hit.doc).get("line"));
        }
      }
      out.println(line);
    }
  }

  private static List<String> terms(Analyzer analyzer, String text) throws IOException {
    List<String> terms = new ArrayList<>();
    try (TokenStream stream = analyzer.tokenStream("both", text)) {
      CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
      stream.reset();
      while (stream.incrementToken()) terms.add(term.toString());
      stream.end();
    }
    return terms;
  }
}
