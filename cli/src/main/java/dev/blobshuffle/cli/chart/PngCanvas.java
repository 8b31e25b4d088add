package dev.blobshuffle.cli.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;

/**
 * Draws a PNG at twice the size, with the JDK's graphics, which need no display. Owned by one
 * thread.
 */
final class PngCanvas implements Canvas {
    private static final int SCALE = 2;
    private static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
    private static final Font HEADING = new Font(Font.SANS_SERIF, Font.BOLD, 14);

    private final BufferedImage image;
    private final Graphics2D graphics;

    PngCanvas(int width, int height) {
        image = new BufferedImage(width * SCALE, height * SCALE, BufferedImage.TYPE_INT_RGB);
        graphics = image.createGraphics();
        graphics.scale(SCALE, SCALE);
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setColor(Color.WHITE);
        graphics.fill(new Rectangle2D.Double(0, 0, width, height));
        graphics.setFont(TEXT);
    }

    @Override
    public void line(Spot from, Spot to, String colour, double width) {
        use(colour, width);
        graphics.draw(new Line2D.Double(from.x(), from.y(), to.x(), to.y()));
    }

    @Override
    public void polyline(List<Spot> spots, String colour) {
        use(colour, 2);
        Path2D path = new Path2D.Double();
        for (int i = 0; i < spots.size(); i++) {
            if (i == 0) {
                path.moveTo(spots.get(i).x(), spots.get(i).y());
            } else {
                path.lineTo(spots.get(i).x(), spots.get(i).y());
            }
        }
        graphics.draw(path);
    }

    @Override
    public void disc(Spot centre, double radius, String colour, String hint) {
        use(colour, 1);
        graphics.fill(new Ellipse2D.Double(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius));
    }

    @Override
    public void box(Spot upperLeft, Spot lowerRight, String colour, String hint) {
        use(colour, 1);
        graphics.fill(new Rectangle2D.Double(
                upperLeft.x(), upperLeft.y(), lowerRight.x() - upperLeft.x(), lowerRight.y() - upperLeft.y()));
    }

    @Override
    public void text(Spot at, Anchor anchor, String text) {
        use("#444444", 1);
        int width = graphics.getFontMetrics().stringWidth(text);
        double shift = switch (anchor) {
            case START -> 0;
            case MIDDLE -> width / 2.0;
            case END -> width;
        };
        graphics.drawString(text, (float) (at.x() - shift), (float) at.y());
    }

    @Override
    public void heading(Spot at, String text) {
        use("#222222", 1);
        graphics.setFont(HEADING);
        graphics.drawString(text, (float) at.x(), (float) at.y());
        graphics.setFont(TEXT);
    }

    private void use(String colour, double width) {
        graphics.setColor(Color.decode(colour));
        graphics.setStroke(new BasicStroke((float) width));
    }

    void write(Path file) throws IOException {
        graphics.dispose();
        ImageIO.write(image, "png", file.toFile());
    }
}
