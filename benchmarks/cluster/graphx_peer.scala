// SPDX-License-Identifier: Apache-2.0
// GraphX in local mode, asked line by line: times of its own PageRank and components, and of a search by Pregel.
//
//   load DIRECTED UNDIRECTED VERTICES   files of pairs of 32-bit words; in the second every edge is there once
//   pagerank STEPS ANSWER | components ANSWER | bfs ROOT ANSWER
//
// An answer is written to a file as 64-bit floats, in the order of the vertices; none where the name is "-". A reply is
// a line "seconds S": from the call until every value of the result is there.
import java.io.RandomAccessFile
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.channels.FileChannel.MapMode
import java.nio.file.{Files, Paths}

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.graphx._
import org.apache.spark.graphx.lib.{ConnectedComponents, PageRank}

object GraphXPeer {
  type Loaded = Graph[Int, Int]

  def edges(context: SparkContext, path: String) = {
    val parts = context.defaultParallelism
    context.parallelize(0 until parts, parts).flatMap { part =>
      val file = new RandomAccessFile(path, "r")
      val count = file.length / 8
      val first = count * part / parts
      val words = file.getChannel.map(MapMode.READ_ONLY, 8 * first, 8 * (count * (part + 1) / parts - first))
        .order(ByteOrder.LITTLE_ENDIAN).asIntBuffer
      file.close()
      Iterator.range(0, words.remaining / 2).map(i => Edge(words.get(2 * i).toLong, words.get(2 * i + 1).toLong, 1))
    }
  }

  def load(context: SparkContext, path: String, numVertices: Long): Loaded = {
    val vertices = context.range(0, numVertices, 1, context.defaultParallelism).map(v => (v.toLong, 1))
    val graph = Graph(vertices, edges(context, path)).partitionBy(PartitionStrategy.EdgePartition2D).cache()
    graph.vertices.count()
    graph.edges.count()
    graph
  }

  def levels(graph: Loaded, root: VertexId): Graph[Int, Int] =
    graph
      .mapVertices((v, _) => if (v == root) 0 else Int.MaxValue)
      .pregel(Int.MaxValue, Int.MaxValue, EdgeDirection.Out)(
        (_, level, offered) => math.min(level, offered),
        edge =>
          if (edge.srcAttr != Int.MaxValue && edge.srcAttr + 1 < edge.dstAttr) Iterator((edge.dstId, edge.srcAttr + 1))
          else Iterator.empty,
        (a, b) => math.min(a, b))

  def timed[V](run: => Graph[V, _], numVertices: Int, answer: String)(number: V => Double): Unit = {
    val start = System.nanoTime
    val result = run
    result.vertices.count()
    val seconds = (System.nanoTime - start) / 1e9
    if (answer != "-") {
      val bytes = ByteBuffer.allocate(8 * numVertices).order(ByteOrder.LITTLE_ENDIAN)
      for ((v, value) <- result.vertices.collect()) bytes.putDouble(8 * v.toInt, number(value))
      Files.write(Paths.get(answer), bytes.array)
    }
    result.unpersist(blocking = true)
    println(s"seconds $seconds")
  }

  def main(arguments: Array[String]): Unit = {
    val conf = new SparkConf().setAppName("GraphXPeer")
    GraphXUtils.registerKryoClasses(conf)
    val context = new SparkContext(conf)
    context.setLogLevel("ERROR")
    println(s"version ${context.version}, Java ${System.getProperty("java.version")}")
    var loaded = Seq.empty[Loaded]
    var numVertices = 0
    for (line <- Iterator.continually(scala.io.StdIn.readLine()).takeWhile(_ != null)) {
      line.split("\t") match {
        case Array("load", directed, undirected, count) =>
          loaded.foreach(_.unpersist(blocking = true))
          numVertices = count.toInt
          loaded = Seq(load(context, directed, numVertices), load(context, undirected, numVertices))
          println("seconds 0")
        case Array("pagerank", steps, answer) =>
          timed(PageRank.run(loaded(0), steps.toInt), numVertices, answer)((rank: Double) => rank)
        case Array("components", answer) =>
          timed(ConnectedComponents.run(loaded(1)), numVertices, answer)((label: VertexId) => label.toDouble)
        case Array("bfs", root, answer) =>
          timed(levels(loaded(0), root.toLong), numVertices, answer) { (level: Int) =>
            if (level == Int.MaxValue) -1.0 else level.toDouble
          }
      }
    }
    context.stop()
  }
}
