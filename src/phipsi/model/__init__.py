"""What a robot is: poses, joints, bodies and frames; how it is built, edited and read from files."""
